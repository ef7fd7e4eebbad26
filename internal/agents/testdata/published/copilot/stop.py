#!/usr/bin/env python3
# event: agentStop
# input: {}
# home: makes it go on: write the changelog
import json, sys
if not json.load(sys.stdin).get("stop_hook_active"):
    print(json.dumps({"decision": "block", "reason": "write the changelog"}))
