#!/bin/sh
# event: sessionStart
# input: {"source":"startup"}
# home: tells the model: monorepo
cat >/dev/null
printf '{"additionalContext":"%s"}' 'this is a monorepo'
