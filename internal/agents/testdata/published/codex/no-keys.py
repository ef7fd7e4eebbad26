#!/usr/bin/env python3
# event: UserPromptSubmit
# input: {"prompt":"my key is sk-live-1234"}
# home: deny: take the key out
import json, sys
if "sk-live" in json.load(sys.stdin)["prompt"]:
    print(json.dumps({"decision": "block", "reason": "take the key out of the prompt"}))
