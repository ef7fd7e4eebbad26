#!/bin/sh
# event: Stop
# input: {}
# home: makes it go on: tests are red
case $(cat) in
*'"stop_hook_active":true'*) exit 0 ;;
*) echo '{"decision":"block","reason":"tests are red"}' ;;
esac
