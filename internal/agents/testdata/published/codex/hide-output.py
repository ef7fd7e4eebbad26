#!/usr/bin/env python3
# event: PostToolUse
# matcher: Bash
# input: {"tool":"shell_exec","arguments":{"command":"env"},"output":"TOKEN=abc123"}
# home: replaces the result: a token
import json, sys
if "TOKEN=" in str(json.load(sys.stdin)["tool_response"]):
    print(json.dumps({"decision": "block", "reason": "the result was withheld, it has a token"}))
