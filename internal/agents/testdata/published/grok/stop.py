#!/usr/bin/env python3
# event: Stop
# input: {}
# home: makes it go on: show the diff
import json, sys
if not json.load(sys.stdin)["stopHookActive"]:
    print(json.dumps({"decision": "block", "reason": "show the diff"}))
