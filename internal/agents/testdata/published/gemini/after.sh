#!/bin/sh
# event: AfterTool
# matcher: write_file|replace
# input: {"tool":"write_file","arguments":{"path":"/p/a.py","content":"print(1)\n"},"output":"written"}
# home: tells the model: tests beside
cat >/dev/null
echo '{"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"put tests beside the code"}}'
