#!/usr/bin/env python3
# event: BeforeTool
# matcher: run_shell_command
# input: {"tool":"shell_exec","arguments":{"command":"git push --force origin main"}}
# home: deny: push by hand
import json, sys
if "git push" in json.load(sys.stdin)["tool_input"]["command"]:
    print(json.dumps({"decision": "deny", "reason": "push by hand"}))
