#!/bin/sh
# event: PreToolUse
# matcher: Execute
# input: {"tool":"shell_exec","arguments":{"command":"rm -rf / --no-preserve-root"}}
# home: deny: wipes the disk
if [ "$tool_name" = Execute ] && grep -q 'rm -rf'; then
  echo 'that wipes the disk' >&2
  exit 2
fi
