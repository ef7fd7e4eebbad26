#!/usr/bin/env python3
# event: UserPromptSubmit
# input: {"prompt":"my key is sk-live-1234"}
# home: deny: contains a key
import json, re, sys
if re.search(r"\bsk-\w+-\d+", json.load(sys.stdin)["prompt"]):
    print(json.dumps({"decision": "block", "reason": "the prompt contains a key"}))
