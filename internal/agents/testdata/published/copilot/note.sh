#!/bin/sh
# event: postToolUse
# input: {"tool":"write_file","arguments":{"path":"/p/a.py","content":"print(1)\n"},"output":"written"}
# home: tells the model: run the linter
cat >/dev/null
echo '{"additionalContext":"run the linter after you write"}'
