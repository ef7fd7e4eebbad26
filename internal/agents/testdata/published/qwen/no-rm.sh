#!/bin/sh
# event: PreToolUse
# input: {"tool":"shell_exec","arguments":{"command":"rm -rf / --no-preserve-root"}}
# home: deny: leave the root
if [[ $(cat) == *'rm -rf /'* ]]; then
  echo 'leave the root alone' >&2
  exit 2
fi
