#!/bin/sh
# event: PreToolUse
# matcher: *
# input: {"tool":"shell_exec","arguments":{"command":"ls"}}
# home: nothing
# Every call is a line in a file of the project.
{ date -u +%FT%TZ; cat; } >>"${CLAUDE_PROJECT_DIR:-.}/calls.log"
