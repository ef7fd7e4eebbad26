#!/bin/sh
# event: PostToolUse
# matcher: Edit|MultiEdit|Write
# input: {"tool":"write_file","arguments":{"path":"/p/a.py","content":"print(1)\n"},"output":"written"}
# home: nothing
file=$(sed -n 's/.*"file_path":"\([^"]*\)".*/\1/p')
case $file in
*.py) [ ! -f "$file" ] || black -q "$file" ;;
esac
exit 0
