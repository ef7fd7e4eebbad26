#!/bin/sh
# event: PreToolUse
# matcher: ^Bash$
# input: {"tool":"shell_exec","arguments":{"command":"sudo make install"}}
# home: deny: without sudo
if grep -q '"command":"sudo '; then
  echo 'do it without sudo' >&2
  exit 2
fi
