#!/usr/bin/env python3
# event: PreToolUse
# matcher: Write|Edit
# input: {"tool":"write_file","arguments":{"path":"/p/.env","content":"A=1"}}
# home: deny: stays as it is
import json, sys
if json.load(sys.stdin)["tool_input"]["path"].endswith(".env"):
    print("that file stays as it is", file=sys.stderr)
    sys.exit(2)
