#!/bin/sh
# event: preToolUse
# matcher: Shell
# input: {"tool":"shell_exec","arguments":{"command":"rm -rf / --no-preserve-root"}}
# home: deny: keep the disk
if grep -q 'rm -rf'; then
  echo 'keep the disk' >&2
  exit 2
fi
