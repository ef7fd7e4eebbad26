#!/usr/bin/env python3
# event: PreToolUse
# matcher: Bash
# input: {"tool":"shell_exec","arguments":{"command":"git push --force origin main"}}
# home: deny: people push
import json, sys
if "git push" in json.load(sys.stdin)["tool_input"]["command"]:
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                             "permissionDecisionReason": "people push, agents do not"}}))
