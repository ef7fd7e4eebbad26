#!/usr/bin/env python3
"""Takes every script out of the five documents that the project comes from and
drives them through the program, unmodified.

usage: seeds.py FOLDER CHIBI
"""
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading

FOLDER, CHIBI = sys.argv[1], os.path.abspath(sys.argv[2])

# Tools for the guards to guard: they say what they would run.
TOOL = """#!/usr/bin/env python3
import json, os, sys
if sys.argv[1:] == ["--schema"]:
    print('{"name": "%s", "description": "runs"}')
else:
    print("it ran: " + json.loads(os.environ["CHIBI_TOOL_ARGS"])["command"])
"""

# What the scripts want of bc, for machines that have none.
BC = """#!/usr/bin/env python3
import re, sys
for line in sys.stdin:
    scale = re.match(r"scale=(\\d+);", line)
    value = eval(line.split(";")[-1])
    print(int(value) if isinstance(value, bool) else f"{int(value * 10 ** int(scale[1])) / 10 ** int(scale[1]):.{scale[1]}f}" if scale else value)
"""


class Home:
    """A home folder and a project of its own, with the program to run in it."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path, self.project = self.folder.name + "/home", self.folder.name + "/project"
        os.makedirs(self.project)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("CHIBI_", "OPENROUTER_", "SLACK_"))}
        self.env["HOME"] = self.path
        self.write(".chibi/config.toml", "[plugins]\nprobe_timeout_ms = 60000\nhook_timeout_ms = 60000\n")
        for name in "run_command", "bash":
            self.executable(".chibi/plugins/" + name, TOOL % name)
        if not shutil.which("bc"):
            self.executable("bin/bc", BC)
            self.env["PATH"] += os.pathsep + self.path + "/bin"
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def write(self, name, text):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def executable(self, name, text):
        os.chmod(self.write(name, text), 0o755)

    def hook(self, name, text):
        self.executable(".kodelet/hooks/" + name, text)

    def read(self, name):
        with open(os.path.join(self.path, name), encoding="utf-8") as f:
            return f.read()

    def shell(self, *words, status=0):
        done = subprocess.run(words, env=self.env, cwd=self.project, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
        assert done.returncode == status, f"{words}: exit status {done.returncode}: {done.stderr}"
        self.stderr = done.stderr
        return done.stdout

    def ask(self, *words, status=0):
        return self.shell(CHIBI, *words, status=status)

    def call(self, tool, command, *flags):
        return self.ask(*flags, "@tool %s %s" % (tool, json.dumps({"command": command})))


def document(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as f:
        return f.read()


def blocks(text, language):
    """The blocks of code in a language, as they stand."""
    return re.findall(r"^```%s\n(.*?)^```" % language, text, re.DOTALL | re.MULTILINE)


def check(name, text, pattern):
    assert re.search(pattern, text, re.MULTILINE), f"{name}: no {pattern!r} in:\n{text}"
    print(f"ok  {name}")


def check_not(name, text, pattern):
    assert not re.search(pattern, text, re.MULTILINE), f"{name}: {pattern!r} in:\n{text}"
    print(f"ok  {name}")


def chibi_hooks():
    text = document("chibi-hooks.md")
    plugins = {}
    for block in blocks(text, "bash") + blocks(text, "python"):
        if block.startswith("#!"):
            plugins[re.search(r"^# ~/\.chibi/plugins/(\S+)$", block, re.MULTILINE).group(1)] = block
    wanted = ["context_injector", "logger", "safety_guard", "temp_override", "tool_filter"]
    assert sorted(plugins) == wanted, f"found {sorted(plugins)}, want {wanted}"
    with Home() as home:
        for name, script in plugins.items():
            home.executable(".chibi/plugins/" + name, script)
        check("context_injector", home.ask("hello"), r"^You said: \[\d{4}-\d\d-\d\dT[^\]]*\]\nhello")
        check("safety_guard", home.call("run_command", "rm -rf /"), r"^The tool answered: Blocked: rm -rf commands are not allowed$")
        check("safety_guard lets others through", home.call("run_command", "ls"), r"^The tool answered: it ran: ls$")
        check("tool_filter", home.ask("-C", "safe", "hello"), r"^tools: 2 \(update_todos, update_goals\)$")
        check("temp_override, coding", home.ask("-C", "coding", "hello"), r"^temperature: 0\.1$")
        check("temp_override, creative", home.ask("-C", "creative", "hello"), r"^temperature: 1\.2$")
        log = home.read(".chibi/hook.log")
        check("logger", log, r"^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] on_start$")
        check("logger writes the payload", log, r'^  "prompt": "hello",?$')
        check("logger hears the end", log, r"\] on_end$")


def scripts(text):
    """The scripts of Kodelet's documents, by the event that they are for and
    their number among those, as the same one may stand in several places."""
    found = {}
    for block in blocks(text, "bash") + blocks(text, "python"):
        if block.startswith("#!"):
            event = re.search(r'(?:echo|print\()\s*"(\w+)"', block).group(1)
            found.setdefault(event, []).append(block)
    return found


def guardrail(script, blocked, let_through):
    with Home() as home:
        home.hook("security_guardrail", script)
        for command, why in blocked.items():
            check("guardrail: " + command, home.call("bash", command), r"^The tool answered: Security policy: %s is not allowed$" % re.escape(why))
        check("guardrail lets others through", home.call("bash", let_through), r"^The tool answered: it ran: " + re.escape(let_through))
        # The same guard, for chibi's own shell.
        for command, why in blocked.items():
            check("guardrail, shell_exec: " + command, home.call("shell_exec", command, "--coding", "--trust-tools"),
                  r"^The tool answered: Security policy: %s is not allowed$" % re.escape(why))
        check("guardrail lets shell_exec through", home.call("shell_exec", "echo fine", "--coding", "--trust-tools"), r"^The tool answered: fine$")
        check("guardrail is about bash", home.call("run_command", "sudo ls"), r"^The tool answered: it ran: sudo ls$")


def audit_logger(script):
    with Home() as home:
        home.hook("audit_logger", script)
        check("audit_logger changes nothing", home.call("bash", "ls"), r"^The tool answered: it ran: ls$")
        line = home.read(".kodelet/audit.log").strip().split(" | ", 1)
        check("audit_logger writes the time", line[0], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        payload = json.loads(line[1])
        assert payload["event"] == "after_tool_call" and payload["tool_input"] == {"command": "ls"}, payload
        assert payload["tool_output"]["success"] is True and payload["tool_output"]["metadata"]["output"] == "it ran: ls\n", payload


def follow_up(script):
    with Home() as home:
        home.hook("foo-txt-remover", script)
        check_not("follow-up: no foo.txt, no message", home.ask("hello"), "foo.txt")
        open(home.project + "/foo.txt", "w").close()
        out = home.ask("--set", "max_follow_ups=1", "hello")
        check("follow-up", out, r"^You said: hello$")
        check("follow-up goes on", out, r"^You said: I noticed foo.txt exists. Please remove it.$")


def compaction(name, script):
    with Home() as home:
        home.hook("compact_at_70", script)
        home.ask("--set", "context_window_limit=1000000", "-c", "roomy", "a long story")
        window = home.read(".chibi/contexts/roomy/context.jsonl")
        check(name + ": below 70 %", window, r'"content":"a long story"')
        home.ask("--set", "context_window_limit=1000", "-c", "full", "a long story")
        assert not re.search("failed|ignored", home.stderr), home.stderr
        window = home.read(".chibi/contexts/full/context.jsonl")
        check(name + ": above 70 %", window, r'"content":"You said: --- CONVERSATION')
        check_not(name + ": the story is in the summary only", window, r'"content":"a long story"')


def kodelet_hooks():
    text = document("kodelet-hooks.md")
    found = scripts(text)
    counts = {event: len(list_) for event, list_ in found.items()}
    wanted = {"after_turn": 3, "before_tool_call": 1, "after_tool_call": 1, "agent_stop": 1}
    assert counts == wanted, f"found {counts}, want {wanted}"
    guardrail(found["before_tool_call"][0], {
        "rm -rf /": "'rm -rf'", "sudo ls": "'sudo'", ":(){:|:&};:": "':(){:|:&};:'",
        "curl x | bash": "piping to shell", "wget x | sh": "piping to shell"}, "ls -la")
    audit_logger(found["after_tool_call"][0])
    follow_up(found["agent_stop"][0])
    for i, script in enumerate(found["after_turn"]):
        if "Logs context utilization" in script:
            with Home() as home:
                home.hook("turn_logger", script)
                home.call("bash", "ls", "--set", "context_window_limit=100000")
                check("turn logger", home.stderr, r"^Turn 1: context [\d.]+% \(tools_used: true\)$")
                check("turn logger, second turn", home.stderr, r"^Turn 2: context [\d.]+% \(tools_used: false\)$")
        else:
            compaction(f"compaction hook {i + 1}", script)
    quick_start(text)
    disabling(text)


def quick_start(text):
    """The commands of the quick start, in a project: it has to be trusted."""
    steps = [textwrap.dedent(s) for s in re.findall(r"^   ```bash\n(.*?)^   ```", text, re.DOTALL | re.MULTILINE)]
    assert len(steps) == 4, steps
    with Home() as home:
        home.executable("../project/your_hook", scripts(text)["before_tool_call"][0])
        check("debugging: hook", home.shell("bash", "-e", "-c", steps[2]), "^before_tool_call$")
        check("debugging: run", home.shell("bash", "-e", "-c", steps[3]), '^{"blocked": false}$')
        for step in steps[:2]:
            home.shell("bash", "-e", "-c", step)
        check("quick start: not before it is trusted", home.call("bash", "ls"), "it ran")
        check("quick start: that is said", home.stderr, r"not approved: audit_logger; .*chibi trust$")
        home.ask("trust", "--yes")
        home.call("bash", "ls")
        payload = json.loads(home.read(".kodelet/audit.log"))
        assert payload["event"] == "after_tool_call", payload
        print("ok  quick start")


def disabling(text):
    """The commands that disable and enable a hook."""
    block = next(b for b in blocks(text, "bash") if b.startswith("# Disable a hook"))
    off, on = [line for line in block.splitlines() if line.startswith("mv ")]
    with Home() as home:
        os.makedirs(home.project + "/.kodelet/hooks")
        path = home.project + "/.kodelet/hooks/audit-tool-call"
        with open(path, "w", encoding="utf-8") as f:
            f.write('#!/bin/sh\n[ "$1" = hook ] && { echo before_tool_call; exit; }\necho \'{"blocked": true, "reason": "on"}\'\n')
        os.chmod(path, 0o755)
        for step, pattern in (None, "answered: on$"), (off, "it ran"), (on, "answered: on$"):
            if step:
                home.shell("sh", "-e", "-c", step)
            check(f"disabling: {step or 'as it is'}", home.call("bash", "ls", "--trust-project"), pattern)


def kodelet_adr_021():
    text = document("kodelet-adr-021-lifecycle-hooks.md")
    found = scripts(text)
    assert {e: len(s) for e, s in found.items()} == {"after_tool_call": 1, "before_tool_call": 1, "agent_stop": 1}, found.keys()
    audit_logger(found["after_tool_call"][0])
    guardrail(found["before_tool_call"][0], {
        "rm -rf /": "'rm -rf'", "sudo ls": "'sudo'", "x; curl | bash": "'curl | bash'", "wget | sh": "'wget | sh'"}, "ls -la")
    follow_up(found["agent_stop"][0])
    slack_notifier(next(b for b in blocks(text, "go") if "slack_notify" in b))


def slack_notifier(source):
    messages = []

    class Slack(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            messages.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Slack)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with Home() as home:
        path = home.write("slack/main.go", source)
        os.makedirs(home.path + "/.kodelet/hooks")
        subprocess.run(["go", "build", "-o", home.path + "/.kodelet/hooks/slack_notify", path], check=True)
        home.ask("hello")
        assert not messages, messages  # it is silent without a webhook
        home.env["SLACK_WEBHOOK_URL"] = f"http://127.0.0.1:{server.server_port}/"
        home.ask("-C", "work", "hello")
    server.shutdown()
    assert messages == [{"text": "Agent completed conversation work (2 messages)"}], messages
    print("ok  slack_notify")


def kodelet_adr_025():
    text = document("kodelet-adr-025-recipe-hooks.md")
    recipes = {re.search(r"^name: (\S+)$", b, re.MULTILINE).group(1): b for b in blocks(text, "markdown") if b.startswith("---")}
    assert sorted(recipes) == ["compact", "compact-brief"], recipes.keys()
    for name, body in recipes.items():
        for folder in ".kodelet/recipes", ".chibi/recipes":
            with Home() as home:
                home.write(f"{folder}/{name}.md", body)
                home.ask("a long story")
                out = home.ask("recipe", "run", name)
                check(f"{name}: no tools are offered", out, r"^tools: 0$")
                window = home.read(".chibi/contexts/default/context.jsonl")
                check(f"{name}: the answer is the conversation", window, r'"content":"You said: Create a')
                check_not(f"{name}: nothing else is", window, r'"content":"a long story"')
                check(f"{name}: the next prompt goes on from it", home.ask("go on"), r"^messages: 2$")
                check(f"{name}: with words of the person", home.ask("recipe", "run", name, "Focus on the kubernetes deployment changes"),
                      r"^Focus on the kubernetes deployment changes$")


def kode_hooks():
    text = document("kode-hooks.md")
    # The page has lost its fences: a script ends where the next title begins.
    found = re.findall(r"^(#!/usr/bin/env bash\n# ~/\.kode/hooks/(\S+)\n.*?)(?=^[A-Z])", text, re.DOTALL | re.MULTILINE)
    plugins = {name: script for script, name in found}
    assert sorted(plugins) == ["log-tools.sh", "redact-secrets.sh"], plugins.keys()
    with Home() as home:
        for name, script in plugins.items():
            home.executable(".kode/hooks/" + name, script)
        entries = [("user_prompt_submit", "redact-secrets.sh"), ("tool_call_pre", "log-tools.sh"), ("tool_call_post", "log-tools.sh")]
        config = "".join(f'[[kode.hooks.{event}]]\nexec = "~/.kode/hooks/{name}"\ntimeout_ms = 60000\n' for event, name in entries)
        home.write(".chibi/config.toml", config)
        check("redact-secrets.sh", home.ask("the key is AKIAABCDEFGHIJKLMNOP, keep it"), r"^You said: the key is \[REDACTED-AWS\], keep it$")
        check("redact-secrets.sh annotates", home.stderr, r"redacted AWS keys$")
        check_not("redact-secrets.sh: nothing is stored", home.read(".chibi/contexts/default/transcript/active.jsonl"), "AKIA")
        check("log-tools.sh, shell_exec", home.call("shell_exec", "echo fine", "--coding", "--trust-tools"), r"^The tool answered: fine$")
        check("log-tools.sh knows the shell", home.read(".kode/hooks.log"), r'^"\[tool_call_pre\] tool=shell at [\d.]+"$')
        check("log-tools.sh changes nothing", home.call("run_command", "ls"), r"^The tool answered: it ran: ls$")
        log = home.read(".kode/hooks.log") if os.path.exists(home.path + "/.kode/hooks.log") else ""
        check("log-tools.sh", log, r'^"\[tool_call_pre\] tool=run_command at [\d.]+"$')
        check("log-tools.sh after the call", log, r'^"\[tool_call_post\] tool=run_command at [\d.]+"$')


for part in chibi_hooks, kodelet_hooks, kodelet_adr_021, kodelet_adr_025, kode_hooks:
    print("# " + part.__name__)
    part()
