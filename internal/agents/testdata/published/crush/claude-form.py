#!/usr/bin/env python3
# event: PreToolUse
# matcher: bash
# input: {"tool":"shell_exec","arguments":{"command":"terraform apply"}}
# home: deny: in the form of Claude Code
import json, sys
if "apply" in json.load(sys.stdin)["tool_input"]["command"]:
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                             "permissionDecisionReason": "in the form of Claude Code"}}))
