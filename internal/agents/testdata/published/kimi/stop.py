#!/usr/bin/env python3
# event: Stop
# input: {}
# home: makes it go on: the list has more
import json, sys
if not json.load(sys.stdin)["stop_hook_active"]:
    print(json.dumps({"hookSpecificOutput": {"permissionDecision": "deny",
                                             "permissionDecisionReason": "the list has more"}}))
