#!/usr/bin/env python3
# event: PreToolUse
# matcher: Bash
# input: {"tool":"shell_exec","arguments":{"command":"pytest"}}
# home: allow, rewrites arguments: pytest -q
import json, sys
given = json.load(sys.stdin)["tool_input"]
if given["command"] == "pytest":
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
                                             "updatedInput": {**given, "command": "pytest -q"}}}))
