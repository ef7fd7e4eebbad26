#!/bin/sh
# event: SessionStart
# input: {"source":"startup"}
# home: tells the model: go 1.26
echo '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"this is go 1.26"}}'
