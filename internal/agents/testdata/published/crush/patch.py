#!/usr/bin/env python3
# event: PreToolUse
# matcher: bash
# input: {"tool":"shell_exec","arguments":{"command":"npm install left"}}
# home: rewrites arguments: --ignore-scripts
import json, sys
command = json.load(sys.stdin)["tool_input"]["command"]
if command.startswith("npm install"):
    print(json.dumps({"updated_input": {"command": command + " --ignore-scripts"}}))
