#!/usr/bin/env python3
# event: BeforeTool
# matcher: run_shell_command
# input: {"tool":"shell_exec","arguments":{"command":"npm install left"}}
# home: rewrites arguments: npm ci
import json, sys
if json.load(sys.stdin)["tool_input"]["command"].startswith("npm install"):
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": {"command": "npm ci"}}}))
