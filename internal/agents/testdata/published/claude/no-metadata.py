#!/usr/bin/env python3
# event: PreToolUse
# matcher: WebFetch
# input: {"tool":"fetch_url","arguments":{"url":"http://169.254.169.254/latest"}}
# home: deny: that host is off limits
import json, sys, urllib.parse
host = urllib.parse.urlparse(json.load(sys.stdin)["tool_input"]["url"]).hostname
if host == "169.254.169.254":
    sys.exit(print("that host is off limits", file=sys.stderr) or 2)
