#!/bin/sh
# event: BeforeTool
# matcher: .*
# input: {"tool":"shell_exec","arguments":{"command":"ls"}}
# home: nothing
cat >>"${GEMINI_PROJECT_DIR:-.}/calls.log"
echo '{}'
