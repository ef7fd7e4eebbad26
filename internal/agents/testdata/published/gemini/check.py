#!/usr/bin/env python3
# event: AfterAgent
# input: {"response":"I think that it works."}
# home: makes it go on: do not guess
import json, sys
turn = json.load(sys.stdin)
if "I think" in turn["prompt_response"] and not turn["stop_hook_active"]:
    print(json.dumps({"decision": "deny", "reason": "do not guess, look"}))
