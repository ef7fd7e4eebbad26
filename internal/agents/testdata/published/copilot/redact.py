#!/usr/bin/env python3
# event: postToolUse
# matcher: bash
# input: {"tool":"shell_exec","arguments":{"command":"env"},"output":"TOKEN=abc123"}
# home: replaces the result: TOKEN=***
import json, re, sys
result = json.load(sys.stdin)["toolResult"]
text = re.sub(r"TOKEN=\w+", "TOKEN=***", result["textResultForLlm"])
print(json.dumps({"modifiedResult": {"resultType": "success", "textResultForLlm": text}}))
