"""The cases: homes with plugins, a model's server, and the commands to run."""
import contextlib
import dataclasses
import functools
import json
import math
import os
import shutil
import subprocess
import tempfile

from runs import Command, run

HERE = os.path.dirname(os.path.abspath(__file__))
POINTS = {"observe": "post_tool", "gather": "pre_api_tools", "chain": "pre_tool", "guard": "pre_tool"}
TOOL = """#!/bin/sh
case "$1" in --schema) echo '{"name": "bench_tool", "description": "does nothing"}'; exit;; esac
echo done
"""


class Bench:
    """The programs beside this file, the model's servers and the homes of one execution."""

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        self.dir = self.stack.enter_context(tempfile.TemporaryDirectory(prefix="chibi-bench-"))
        self.homes = 0
        return self

    def __exit__(self, *_):
        self.stack.close()

    def forget(self):
        """Removes the homes made so far."""
        shutil.rmtree(os.path.join(self.dir, "homes"), ignore_errors=True)

    @functools.cache
    def program(self, name):
        """Builds one of the programs beside this file."""
        path = os.path.join(self.dir, name)
        subprocess.run(["go", "build", "-trimpath", "-o", path, "./" + name], cwd=HERE, check=True)
        return path

    @functools.cache
    def model(self, *flags):
        """Starts a model's server and returns its URL."""
        server = subprocess.Popen([self.program("model"), *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.stack.callback(server.wait)
        self.stack.callback(server.stdout.read)
        self.stack.callback(server.stdin.close)
        return server.stdout.readline().strip()

    def home(self, plugins=(), config="", url=None):
        """Makes a home with plugins, as pairs of a name and a script."""
        self.homes += 1
        home = os.path.join(self.dir, "homes", str(self.homes))
        chibi = os.path.join(home, ".chibi")
        os.makedirs(os.path.join(chibi, "plugins"))
        write(os.path.join(chibi, "config.toml"), f"""base_url = "{url or self.model()}"
model = "bench"
api_key = "bench"
{config}
""")
        for name, script in plugins:
            write(os.path.join(chibi, "plugins", name), script, 0o755)
        return home

    def command(self, home, program, *args, before=lambda: None, **env):
        """A run in a home."""
        return Command([os.path.abspath(program), *args], {"HOME": home, "CHIBI_HOME": os.path.join(home, ".chibi"),
                                                           "PATH": os.environ["PATH"], **env}, home, before)


def write(path, text, mode=0o600):
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)


def script(kind, name, point, does=""):
    """A plugin that wants to be asked at a point and has no opinion."""
    schema = {"name": name, "hooks": [POINTS[point]], "tool": False}
    if point == "guard":
        schema["guards"] = [POINTS[point]]
    if kind == "sh":
        return f"""#!/bin/sh
case "$1" in --schema) echo '{json.dumps(schema)}'; exit;; esac
{does}
echo '{{}}'
"""
    return f"""#!/usr/bin/env python3
import sys
print('{json.dumps(schema)}' if "--schema" in sys.argv else "{{}}")
"""


RESIDENT = """#!/usr/bin/env python3
import json, sys
if "--schema" in sys.argv:
    print('{"name": "stays", "hooks": ["pre_tool"], "tool": false, "resident": true}')
elif "--resident" in sys.argv:
    for line in sys.stdin:
        print(json.dumps({"jsonrpc": "2.0", "id": json.loads(line)["id"], "result": {}}), flush=True)
else:
    print("{}")
"""


def resident(bench):
    """A turn with 20 tool calls and a plugin in Python that may stay; a program that does not know
    residents starts it for each call."""
    def case(program):
        home = begun(bench, bench.home([("tool", TOOL), ("stays", RESIDENT)]), program)
        return bench.command(home, program, "-c", "work", "@calls 20")
    return case


def plugins(kind, n, point, does=""):
    return [(f"plugin-{i:03}", script(kind, f"plugin-{i:03}", point, does)) for i in range(n)]


def cold(home):
    """Removes what the program remembers of plugins."""
    def forget():
        for name in ("schemas.json", "hung-plugins.json"):
            with contextlib.suppress(FileNotFoundError):
                os.remove(os.path.join(home, ".chibi", name))
    return forget


def begun(bench, home, program):
    """Makes a home's context, and does what happens once a day."""
    run(bench.command(home, program, "-c", "work", "hello"))
    return home


def warmed(bench, home, program):
    """Lets the program learn what it remembers of plugins, by runs that wait for a model."""
    slow = bench.model("-pace", "200ms")
    for _ in range(3):
        run(bench.command(home, program, "-c", "work", "--set", "base_url=" + slow, "warm up"))
    return home


def listing(bench, kind, n, warm):
    """-L with plugins."""
    def case(program):
        home = bench.home(plugins(kind, n, "observe"))
        if warm:
            return bench.command(warmed(bench, home, program), program, "-L")
        return bench.command(home, program, "-L", before=cold(home))
    return case


def turn(bench, kind, n, point, does="", config="", prompt="@calls 1"):
    """A turn with one tool call and plugins at a point."""
    def case(program):
        home = bench.home([("tool", TOOL), *plugins(kind, n, point, does)], config)
        (warmed if n > 0 else begun)(bench, home, program)
        return bench.command(home, program, "-c", "work", prompt)
    return case


def many_contexts(bench, n):
    """A turn in a home with many contexts."""
    def case(program):
        home = bench.home()
        chibi = os.path.join(home, ".chibi")
        run(bench.command(home, program, "-c", "first", "hello"))
        with open(os.path.join(chibi, "state.json")) as file:
            state = json.load(file)
        for i in range(1, n):
            name = f"context-{i:05}"
            shutil.copytree(os.path.join(chibi, "contexts", "first"), os.path.join(chibi, "contexts", name))
            state["contexts"].append({**state["contexts"][0], "name": name})
        write(os.path.join(chibi, "state.json"), json.dumps(state))
        run(bench.command(home, program, "hello"))  # what happens once a day
        return bench.command(home, program, "hello")
    return case


def comparisons(bench):
    """The cases that two programs are compared by."""
    table = {"start/version": lambda program: bench.command(bench.home(), program, "--version")}
    for kind in ("sh", "python"):
        for n in (0, 1, 10, 50, 200):
            table[f"list/{kind}/{n}/cold"] = listing(bench, kind, n, False)
            table[f"list/{kind}/{n}/warm"] = listing(bench, kind, n, True)
        for point in POINTS:
            for n in (1, 10, 50):
                table[f"turn/{kind}/{point}/{n}"] = turn(bench, kind, n, point)
    table["turn/none"] = turn(bench, "sh", 0, "chain")
    for point in ("observe", "gather", "chain", "guard"):
        table[f"sleep/{point}/50"] = turn(bench, "sh", 50, point, "sleep 0.1")
    table["resident/calls=20"] = resident(bench)
    for n in (10, 10_000):
        table[f"contexts/{n}"] = many_contexts(bench, n)
    for calls in (1, 11):
        table[f"network/calls={calls}"] = network(bench, calls)
    return table


def counts(bench):
    """The cases whose system calls are counted."""
    return {f"counts/calls={n}": turn(bench, "sh", 0, "chain", prompt=f"@calls {n}") for n in (0, 1, 2)}


ROUND_TRIP = 0.04


def network(bench, calls):
    """A turn over TLS with a server that is a round trip of 40 ms away."""
    def case(program):
        certificate = os.path.join(bench.dir, "certificate.pem")
        url = bench.model("-tls", certificate, "-delay", f"{ROUND_TRIP}s")
        home = bench.home([("tool", TOOL)], url=url)
        return bench.command(home, program, f"@calls {calls}", SSL_CERT_FILE=certificate)
    return case


@dataclasses.dataclass
class Goal:
    """A ratio that must not be exceeded: of parts that are measured in turn."""
    most: float
    parts: callable  # the commands to run, by name, for a program
    value: callable  # the ratio, from the times of the parts
    measure: callable = lambda times: times.wall


def parallel():
    return max(16, 4 * (os.cpu_count() or 1))


def goals(bench):
    """The goals of docs/internals/PERFORMANCE.md that whole programs are measured for."""
    def smallest():
        return Command([bench.program("smallest")], {}, bench.dir)

    def spawn(home, n, at_once, *args):
        folder = os.path.join(home, ".chibi", "plugins")
        programs = [os.path.join(folder, f"plugin-{i:03}") for i in range(n)]
        return Command([bench.program("floor"), "spawn", "-parallel", str(at_once), *args, *programs],
                       {"PATH": os.environ["PATH"]}, home)

    def cold_parts(program):
        home = bench.home(plugins("sh", 50, "observe"))
        return {"50": bench.command(home, program, "-L", before=cold(home)),
                "none": listing(bench, "sh", 0, False)(program),
                "floor": spawn(home, 50, parallel(), "-argument", "--schema")}

    def chain_parts(program):
        with_plugins = turn(bench, "sh", 50, "chain")(program)
        return {"50": with_plugins, "none": turn(bench, "sh", 0, "chain")(program),
                "floor": spawn(with_plugins.cwd, 50, 1)}

    def turn_parts(program):
        turned = turn(bench, "sh", 0, "chain")(program)
        tool = os.path.join(turned.cwd, ".chibi", "plugins", "tool")
        floor = Command([bench.program("floor"), "turn", "-url", bench.model(), "-tool", tool, "-file",
                         os.path.join(turned.cwd, "floor.jsonl")], {"PATH": os.environ["PATH"]}, turned.cwd)
        return {"turn": turned, "floor": floor}

    def less(times):
        return (times["50"] - times["none"]) / times["floor"]

    def over(a, b):
        return lambda times: times[a] / times[b]

    def sleepers(point):
        dispatches = 2 if point == "gather" else 1  # both requests of the turn ask for the tools
        least = dispatches * math.ceil(50 / parallel()) * 0.1
        return Goal(1.25, lambda program: {"50": turn(bench, "sh", 50, point, "sleep 0.1")(program),
                                           "none": turn(bench, "sh", 0, point)(program)},
                    lambda times: (times["50"] - times["none"]) / least)

    prompt = "@calls 1 " + "x" * 30_000
    table = {
        "goal/list/50-warm": Goal(1.25, lambda program: {
            "50": listing(bench, "sh", 50, True)(program), "1": listing(bench, "sh", 1, True)(program)}, over("50", "1")),
        "goal/list/50-cold": Goal(1.1, cold_parts, less),
        "goal/chain/50": Goal(1.25, chain_parts, less),
        "goal/start/version": Goal(1.6, lambda program: {
            "version": bench.command(bench.home(), program, "--version"), "floor": smallest()}, over("version", "floor")),
        "goal/start/list": Goal(2.2, lambda program: {
            "list": listing(bench, "sh", 1, True)(program), "floor": smallest()}, over("list", "floor")),
        "goal/turn": Goal(2.5, turn_parts, over("turn", "floor")),
        "goal/round-trips": Goal(1.2, lambda program: {
            "11": network(bench, 11)(program), "1": network(bench, 1)(program)},
            lambda times: (times["11"] - times["1"]) / 10 / ROUND_TRIP),
        "goal/contexts": Goal(1.2, lambda program: {
            str(n): many_contexts(bench, n)(program) for n in (10_000, 10)}, over("10000", "10"), lambda times: times.cpu),
        "goal/trace": Goal(1.1, lambda program: {
            "on": turn(bench, "sh", 50, "observe", prompt=prompt)(program),
            "off": turn(bench, "sh", 50, "observe", config="[trace]\nenabled = false", prompt=prompt)(program)},
            over("on", "off")),
    }
    for point in ("observe", "gather", "guard"):
        table[f"goal/sleep/{point}"] = sleepers(point)
    return table
