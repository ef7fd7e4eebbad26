#!/usr/bin/env python3
# event: PreToolUse
# matcher: write_file|edit
# input: {"tool":"write_file","arguments":{"path":"/p/.env","content":"A=1"}}
# home: deny: has secrets
import json, sys
if json.load(sys.stdin)["tool_input"]["file_path"].endswith(".env"):
    print(json.dumps({"decision": "deny", "reason": "that file has secrets"}))
