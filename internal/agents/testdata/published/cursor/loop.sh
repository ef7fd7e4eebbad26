#!/bin/sh
# event: stop
# input: {}
# home: makes it go on: see the next point
echo '{"followup_message":"see the next point of the list"}'
