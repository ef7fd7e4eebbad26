#!/usr/bin/env python3
# event: preToolUse
# matcher: Shell
# input: {"tool":"shell_exec","arguments":{"command":"npm install left"}}
# home: allow, rewrites arguments: pnpm install left
import json, sys
given = json.load(sys.stdin)["tool_input"]
given["command"] = given["command"].replace("npm", "pnpm", 1)
print(json.dumps({"permission": "allow", "updated_input": given}))
