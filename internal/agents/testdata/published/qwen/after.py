#!/usr/bin/env python3
# event: PostToolUse
# matcher: write_file
# input: {"tool":"write_file","arguments":{"path":"/p/a.py","content":"print(1)\n"},"output":"written"}
# home: tells the model: format it
import json, sys
if json.load(sys.stdin)["tool_input"]["file_path"].endswith(".py"):
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "format it"}}))
