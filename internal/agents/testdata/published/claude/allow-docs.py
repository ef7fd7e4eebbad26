#!/usr/bin/env python3
# event: PreToolUse
# matcher: Read
# input: {"tool":"read_file","arguments":{"path":"/p/README.md"}}
# home: allow
import json, sys
if json.load(sys.stdin)["tool_input"].get("file_path", "").endswith((".md", ".txt")):
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
                                             "permissionDecisionReason": "documents may be read"}}))
