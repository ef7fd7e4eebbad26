#!/bin/sh
# event: PreToolUse
# input: {"tool":"shell_exec","arguments":{"command":"npm install left"}}
# home: deny: in a lock file first
if [ "$CRUSH_TOOL_NAME" = bash ] && [ "${CRUSH_TOOL_INPUT_COMMAND#npm }" != "$CRUSH_TOOL_INPUT_COMMAND" ]; then
  echo 'in a lock file first' >&2
  exit 2
fi
