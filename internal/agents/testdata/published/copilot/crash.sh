#!/bin/sh
# event: preToolUse
# matcher: bash
# input: {"tool":"shell_exec","arguments":{"command":"rm -rf / --no-preserve-root"}}
# home: deny
# Any other status than 0 denies.
grep -q 'rm -rf' && exit 1
exit 0
