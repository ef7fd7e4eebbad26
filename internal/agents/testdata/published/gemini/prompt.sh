#!/bin/sh
# event: BeforeAgent
# input: {"prompt":"fix the build"}
# home: tells the model: git status is clean
cat >/dev/null
echo '{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"git status is clean"}}'
