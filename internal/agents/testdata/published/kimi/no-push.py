#!/usr/bin/env python3
# event: PreToolUse
# matcher: Bash
# input: {"tool":"shell_exec","arguments":{"command":"git push --force origin main"}}
# home: deny: a review first
import json, sys
if "git push" in json.load(sys.stdin)["tool_input"]["command"]:
    print(json.dumps({"hookSpecificOutput": {"permissionDecision": "deny",
                                             "permissionDecisionReason": "a review first"}}))
