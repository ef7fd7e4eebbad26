#!/usr/bin/env python3
# event: PreToolUse
# matcher: Edit|Write
# input: {"tool":"write_file","arguments":{"path":"/p/.env","content":"A=1"}}
# home: deny: is protected
import json, os, sys
path = json.load(sys.stdin)["tool_input"]["file_path"]
if os.path.basename(path).startswith(".env"):
    print(path + " is protected", file=sys.stderr)
    sys.exit(2)
