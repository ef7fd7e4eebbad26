#!/bin/sh
# event: SessionStart
# input: {"source":"startup"}
# home: tells the model: read AGENTS.md
echo 'read AGENTS.md first'
