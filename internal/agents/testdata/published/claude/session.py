#!/usr/bin/env python3
# event: SessionStart
# matcher: startup|resume
# input: {"source":"startup"}
# home: tells the model: branch: main
import json, sys
if json.load(sys.stdin)["source"] in ("startup", "resume"):
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "branch: main"}}))
