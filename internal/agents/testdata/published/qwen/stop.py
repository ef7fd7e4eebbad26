#!/usr/bin/env python3
# event: Stop
# input: {"response":"I think that it works."}
# home: makes it go on: prove it
import json, sys
turn = json.load(sys.stdin)
if "I think" in (turn["last_assistant_message"] or "") and not turn["stop_hook_active"]:
    print(json.dumps({"decision": "block", "reason": "prove it"}))
