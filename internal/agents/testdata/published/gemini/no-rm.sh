#!/bin/sh
# event: BeforeTool
# matcher: run_shell_.*
# input: {"tool":"shell_exec","arguments":{"command":"rm -rf / --no-preserve-root"}}
# home: deny: deletes too much
if grep -q 'rm -rf'; then
  echo 'that deletes too much' >&2
  exit 2
fi
