#!/usr/bin/env python3
"""Takes the five example scripts out of the original chibi's hooks document and
drives them through the program, unmodified.

usage: seeds.py DOCUMENT CHIBI
"""
import os
import re
import subprocess
import sys
import tempfile

# A tool for the tool blocker to guard.
RUN_COMMAND = """#!/bin/sh
[ "$1" = --schema ] && { echo '{"name": "run_command", "description": "runs"}'; exit; }
echo "it ran"
"""


def scripts(document):
    """The plugins in the document, by the name that each one's comment gives."""
    found = {}
    for block in re.findall(r"```(?:bash|python)\n(#!.*?)```", document, re.DOTALL):
        name = re.search(r"^# ~/\.chibi/plugins/(\S+)$", block, re.MULTILINE).group(1)
        found[name] = block
    return found


def main():
    document, chibi = sys.argv[1], os.path.abspath(sys.argv[2])
    with open(document, encoding="utf-8") as f:
        plugins = scripts(f.read())
    wanted = ["context_injector", "logger", "safety_guard", "temp_override", "tool_filter"]
    assert sorted(plugins) == wanted, f"found {sorted(plugins)}, want {wanted}"
    plugins["run_command"] = RUN_COMMAND

    with tempfile.TemporaryDirectory() as home:
        folder = os.path.join(home, ".chibi", "plugins")
        os.makedirs(folder)
        for name, script in plugins.items():
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as f:
                f.write(script)
            os.chmod(path, 0o755)

        env = {k: v for k, v in os.environ.items() if not k.startswith(("CHIBI_", "OPENROUTER_"))}
        env["HOME"] = home

        def ask(*args):
            done = subprocess.run([chibi, *args], env=env, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
            assert done.returncode == 0, f"{args}: exit status {done.returncode}: {done.stderr}"
            return done.stdout

        def check(name, text, pattern):
            assert re.search(pattern, text, re.MULTILINE), f"{name}: no {pattern!r} in:\n{text}"
            print(f"ok  {name}")

        check("context_injector", ask("hello"), r"^You said: \[\d{4}-\d\d-\d\dT[^\]]*\]\nhello")
        check("safety_guard", ask('@tool run_command {"command": "rm -rf /"}'),
              r"^The tool answered: Blocked: rm -rf commands are not allowed$")
        check("safety_guard lets others through", ask('@tool run_command {"command": "ls"}'),
              r"^The tool answered: it ran$")
        check("tool_filter", ask("-C", "safe", "hello"), r"^tools: 2 \(update_todos, update_goals\)$")
        check("temp_override, coding", ask("-C", "coding", "hello"), r"^temperature: 0\.1$")
        check("temp_override, creative", ask("-C", "creative", "hello"), r"^temperature: 1\.2$")
        with open(os.path.join(home, ".chibi", "hook.log"), encoding="utf-8") as f:
            log = f.read()
        check("logger", log, r"^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] on_start$")
        check("logger writes the payload", log, r'^  "prompt": "hello",?$')
        check("logger hears the end", log, r"\] on_end$")


main()
