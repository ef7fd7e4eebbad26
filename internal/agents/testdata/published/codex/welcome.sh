#!/bin/sh
# event: SessionStart
# matcher: startup
# input: {"source":"startup"}
# home: tells the model: see CONTRIBUTING
cat >/dev/null
echo 'Before you change anything see CONTRIBUTING.'
