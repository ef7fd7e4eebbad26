#!/usr/bin/env python3
# event: beforeReadFile
# input: {"tool":"read_file","arguments":{"path":"/p/.env"}}
# home: deny
import json, os, sys
path = json.load(sys.stdin)["file_path"]
print(json.dumps({"permission": "deny" if os.path.basename(path) == ".env" else "allow"}))
