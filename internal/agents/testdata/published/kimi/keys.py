#!/usr/bin/env python3
# event: UserPromptSubmit
# matcher: key
# input: {"prompt":"my key is sk-live-1234"}
# home: deny: leave keys out
import json, sys
if any("sk-live" in part.get("text", "") for part in json.load(sys.stdin)["prompt"]):
    print("leave keys out", file=sys.stderr)
    sys.exit(2)
