#!/usr/bin/env python3
# event: beforeShellExecution
# matcher: git push
# input: {"tool":"shell_exec","arguments":{"command":"git push --force origin main"}}
# home: deny, tells you: no pushing from here
import json, sys
if "--force" in json.load(sys.stdin)["command"]:
    print(json.dumps({"permission": "deny", "user_message": "no pushing from here",
                      "agent_message": "no pushing from here"}))
