#!/usr/bin/env python3
# event: preToolUse
# matcher: bash
# input: {"tool":"shell_exec","arguments":{"command":"terraform apply"}}
# home: ask: look first
import json, sys
if json.load(sys.stdin)["toolArgs"]["command"].startswith("terraform apply"):
    print(json.dumps({"permissionDecision": "ask", "permissionDecisionReason": "look first"}))
