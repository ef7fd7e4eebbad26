#!/usr/bin/env python3
# event: PreToolUse
# matcher: run_terminal_command
# input: {"tool":"shell_exec","arguments":{"command":"npm install left"}}
# home: rewrites arguments: bun install left
import json, sys
given = json.load(sys.stdin)["tool_input"]
given["command"] = given["command"].replace("npm", "bun", 1)
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": given}}))
