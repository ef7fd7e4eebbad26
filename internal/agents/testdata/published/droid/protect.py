#!/usr/bin/env python3
# event: PreToolUse
# matcher: Create|Edit
# input: {"tool":"write_file","arguments":{"path":"/p/.env","content":"A=1"}}
# home: deny: not yours
import json, sys
if json.load(sys.stdin)["tool_input"]["file_path"].endswith("/.env"):
    print("that file is not yours", file=sys.stderr)
    sys.exit(2)
