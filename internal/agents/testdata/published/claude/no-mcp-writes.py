#!/usr/bin/env python3
# event: PreToolUse
# matcher: mcp__.*
# input: {"tool":"mcp__notes__note","arguments":{"title":"drop"}}
# home: deny: notes are read only
import json, sys
call = json.load(sys.stdin)
if call["tool_name"].split("__")[1] == "notes" and call["tool_input"].get("title") == "drop":
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                             "permissionDecisionReason": "notes are read only"}}))
