#!/bin/sh
# event: PreToolUse
# matcher: Bash
# input: {"tool":"shell_exec","arguments":{"command":"rm -rf / --no-preserve-root"}}
# home: deny: the old form
if grep -q 'rm -rf'; then
  printf '{"decision":"block","reason":"%s"}\n' 'denied in the old form'
fi
