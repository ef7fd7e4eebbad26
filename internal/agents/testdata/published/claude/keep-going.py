#!/usr/bin/env python3
# event: Stop
# input: {}
# home: makes it go on: run the tests
import json, sys
turn = json.load(sys.stdin)
if not turn.get("stop_hook_active"):
    print(json.dumps({"decision": "block", "reason": "run the tests before you stop"}))
