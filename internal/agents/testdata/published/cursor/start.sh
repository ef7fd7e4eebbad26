#!/bin/sh
# event: sessionStart
# input: {"source":"startup"}
# home: tells the model: use make
echo '{"additional_context":"use make, never npm"}'
