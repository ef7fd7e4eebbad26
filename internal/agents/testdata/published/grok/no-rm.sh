#!/bin/sh
# event: PreToolUse
# input: {"tool":"shell_exec","arguments":{"command":"rm -rf / --no-preserve-root"}}
# home: deny: too dangerous
case $(cat) in
*'rm -rf'*) echo 'too dangerous' >&2; exit 2 ;;
esac
