#!/usr/bin/env python3
# event: PreToolUse
# matcher: ^(view|ls|grep)$
# input: {"tool":"read_file","arguments":{"path":"/p/a"}}
# home: allow
import json, sys
if json.load(sys.stdin)["tool_name"] in ("view", "ls", "grep"):
    print(json.dumps({"version": 1, "decision": "allow"}))
