#!/bin/sh
# event: PreToolUse
# input: {"tool":"read_file","arguments":{"path":"/p/.env"}}
# home: ends the turn: somebody looks at
if [ "${CRUSH_TOOL_INPUT_FILE_PATH##*/}" = .env ]; then
  echo 'stopped until somebody looks at it' >&2
  exit 49
fi
