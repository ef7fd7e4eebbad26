#!/usr/bin/env python3
# event: beforeSubmitPrompt
# input: {"prompt":"my key is sk-live-1234"}
# home: deny: a key is in it
import json, sys
is_secret = "sk-live" in json.load(sys.stdin)["prompt"]
print(json.dumps({"continue": not is_secret, "user_message": "a key is in it"} if is_secret else {"continue": True}))
