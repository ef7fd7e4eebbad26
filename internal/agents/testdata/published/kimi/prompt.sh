#!/bin/sh
# event: UserPromptSubmit
# input: {"prompt":"fix the build"}
# home: tells the model: the branch is frozen
cat >/dev/null
echo 'the branch is frozen'
