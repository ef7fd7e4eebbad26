#!/bin/sh
# event: PostToolUse
# matcher: write|search_replace
# input: {"tool":"write_file","arguments":{"path":"/p/a.py","content":"print(1)\n"},"output":"written"}
# home: tells the model: see the style guide
cat >/dev/null
echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"see the style guide"}}'
