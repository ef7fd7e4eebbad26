#!/usr/bin/env python3
# event: userPromptSubmitted
# input: {"prompt":"fix the build"}
# home: replaces the prompt: fix the build, step by step
import json, sys
print(json.dumps({"modifiedPrompt": json.load(sys.stdin)["prompt"] + ", step by step"}))
