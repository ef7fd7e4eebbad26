#!/bin/sh
# event: PreToolUse
# matcher: bash
# input: {"tool":"shell_exec","arguments":{"command":"rm -rf / --no-preserve-root"}}
# home: deny: not here
read -r line
if printf %s "$line" | grep -Eq 'rm +-[a-z]*r'; then
  echo 'not here' >&2
  exit 2
fi
