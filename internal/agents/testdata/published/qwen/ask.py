#!/usr/bin/env python3
# event: PreToolUse
# matcher: run_shell_command
# input: {"tool":"shell_exec","arguments":{"command":"terraform apply"}}
# home: ask: applies a plan
import json, sys
if "apply" in json.load(sys.stdin)["tool_input"]["command"]:
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask",
                                             "permissionDecisionReason": "it applies a plan"}}))
