#!/bin/sh
# event: PreToolUse
# matcher: edit|write
# input: {"tool":"file_edit","arguments":{"path":"/p/a.py","old_string":"x","new_string":"print(1)"}}
# home: tells the model: four spaces
echo '{"context":["this project indents with","four spaces"]}'
