#!/usr/bin/env python3
# event: SessionStart
# matcher: startup
# input: {"source":"startup"}
# home: tells the model: decisions stand in ADR
import json
print(json.dumps({"hookSpecificOutput": {"hookEventName": "SessionStart",
                                         "additionalContext": "decisions stand in ADR"}}))
