#!/usr/bin/env python3
# event: PreToolUse
# matcher: run_shell_command
# input: {"tool":"shell_exec","arguments":{"command":"git push --force origin main"}}
# home: deny: the owner pushes
import json, sys
if "git push" in json.load(sys.stdin)["tool_input"]["command"]:
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                             "permissionDecisionReason": "the owner pushes"}}))
