#!/usr/bin/env python3
# event: PostToolUse
# matcher: Write
# input: {"tool":"write_file","arguments":{"path":"/p/a.py","content":"print(1)\n"},"output":"written"}
# home: tells the model: leaves a print
import json, sys
done = json.load(sys.stdin)["tool_input"]
if done["file_path"].endswith(".py") and "print(" in done.get("content", ""):
    sys.stderr.write("the file leaves a print in the code\n")
    sys.exit(2)
