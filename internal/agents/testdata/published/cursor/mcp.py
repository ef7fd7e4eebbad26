#!/usr/bin/env python3
# event: beforeMCPExecution
# input: {"tool":"mcp__notes__note","arguments":{"title":"drop"}}
# home: deny: dropped notes
import json, sys
call = json.load(sys.stdin)
if json.loads(call["tool_input"]).get("title") == "drop":
    print(json.dumps({"permission": "deny", "agent_message": "dropped notes do not come back"}))
