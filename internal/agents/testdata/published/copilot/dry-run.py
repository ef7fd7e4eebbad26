#!/usr/bin/env python3
# event: preToolUse
# matcher: bash
# input: {"tool":"shell_exec","arguments":{"command":"npm install left"}}
# home: rewrites arguments: --dry-run
import json, sys
args = json.load(sys.stdin)["toolArgs"]
if args.get("command", "").startswith("npm install"):
    args["command"] += " --dry-run"
    print(json.dumps({"modifiedArgs": args}))
