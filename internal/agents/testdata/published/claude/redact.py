#!/usr/bin/env python3
# event: PostToolUse
# matcher: Bash
# input: {"tool":"shell_exec","arguments":{"command":"env"},"output":"TOKEN=abc123"}
# home: replaces the result: TOKEN=hidden
import json, re, sys
result = json.load(sys.stdin)["tool_response"]
result["stdout"] = re.sub(r"TOKEN=\w+", "TOKEN=hidden", result["stdout"])
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": result}}))
