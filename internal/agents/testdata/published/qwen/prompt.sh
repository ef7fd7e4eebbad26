#!/bin/sh
# event: UserPromptSubmit
# input: {"prompt":"fix the build"}
# home: tells the model: answer briefly
cat >/dev/null
echo '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"answer briefly"}}'
