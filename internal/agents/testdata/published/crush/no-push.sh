#!/bin/sh
# event: PreToolUse
# matcher: ^bash$
# input: {"tool":"shell_exec","arguments":{"command":"git push --force origin main"}}
# home: deny: ask a person
case $CRUSH_TOOL_INPUT_COMMAND in
*'git push'*) echo '{"decision":"deny","reason":"ask a person to push"}' ;;
esac
