#!/bin/sh
# event: PreToolUse
# matcher: Bash
# input: {"tool":"shell_exec","arguments":{"command":"rm -rf / --no-preserve-root"}}
# home: deny: never that
if grep -q 'rm -rf'; then
  echo 'never that' >&2
  exit 2
fi
