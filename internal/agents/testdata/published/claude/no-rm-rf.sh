#!/bin/sh
# event: PreToolUse
# matcher: Bash
# input: {"tool":"shell_exec","arguments":{"command":"rm -rf / --no-preserve-root"}}
# home: deny: refusing to delete
case $(cat) in
*'"command":"rm -rf /'*) echo 'refusing to delete the root' >&2; exit 2 ;;
esac
