#!/usr/bin/env python3
# event: AfterTool
# matcher: run_shell_command
# input: {"tool":"shell_exec","arguments":{"command":"env"},"output":"TOKEN=abc123"}
# home: replaces the result: withheld
import json, sys
if "TOKEN" in json.dumps(json.load(sys.stdin)["tool_response"]):
    print(json.dumps({"decision": "deny", "reason": "withheld: it shows a token"}))
