#!/usr/bin/env python3
# event: PostToolUse
# matcher: Create|Edit
# input: {"tool":"write_file","arguments":{"path":"/p/a.py","content":"print(1)\n"},"output":"written"}
# home: tells the model: types are checked
import json, sys
json.load(sys.stdin)
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PostToolUse",
    "additionalContext": "types are checked by mypy"}}))
