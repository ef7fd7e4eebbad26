#!/usr/bin/env python3
# event: PreToolUse
# matcher: run_terminal_command
# input: {"tool":"shell_exec","arguments":{"command":"git push --force origin main"}}
# home: deny: pushes are reviewed
import json, sys
if "git push" in json.load(sys.stdin)["toolInput"]["command"]:
    print(json.dumps({"decision": "deny", "reason": "pushes are reviewed"}))
