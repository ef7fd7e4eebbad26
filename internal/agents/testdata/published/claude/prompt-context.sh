#!/bin/sh
# event: UserPromptSubmit
# input: {"prompt":"fix the build"}
# home: tells the model: the sprint ends on Friday
cat >/dev/null
echo "Remember: the sprint ends on Friday."
