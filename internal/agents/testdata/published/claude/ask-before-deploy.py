#!/usr/bin/env python3
# event: PreToolUse
# matcher: Bash
# input: {"tool":"shell_exec","arguments":{"command":"terraform apply"}}
# home: ask: changes the cloud
import json, re, sys
if re.search(r"\bterraform (apply|destroy)\b", json.load(sys.stdin)["tool_input"]["command"]):
    json.dump({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask",
                                      "permissionDecisionReason": "this changes the cloud"}}, sys.stdout)
