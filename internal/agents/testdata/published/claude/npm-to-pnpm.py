#!/usr/bin/env python3
# event: PreToolUse
# matcher: Bash
# input: {"tool":"shell_exec","arguments":{"command":"npm install left"}}
# home: allow, rewrites arguments: pnpm install left
import json, sys
given = json.load(sys.stdin)["tool_input"]
if given["command"].startswith("npm "):
    given["command"] = "p" + given["command"]
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
                                             "updatedInput": given}}))
