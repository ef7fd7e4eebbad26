#!/usr/bin/env python3
# event: PreToolUse
# matcher: Bash
# input: {"tool":"shell_exec","arguments":{"command":"git push --force origin main"}}
# home: deny: pushing with force
import json, sys
call = json.load(sys.stdin)
command = call["tool_input"].get("command", "")
if call["tool_name"] == "Bash" and "push" in command and "--force" in command:
    print(json.dumps({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "pushing with force is not allowed"}}))
