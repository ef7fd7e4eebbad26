#!/usr/bin/env python3
# event: preToolUse
# matcher: bash
# input: {"tool":"shell_exec","arguments":{"command":"git push --force origin main"}}
# home: deny: a person pushes
import json, sys
call = json.load(sys.stdin)
if call["toolName"] == "bash" and "git push" in call["toolArgs"]["command"]:
    print(json.dumps({"permissionDecision": "deny", "permissionDecisionReason": "a person pushes"}))
