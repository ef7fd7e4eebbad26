#!/bin/sh
# event: Stop
# input: {}
# home: makes it go on: is the list empty
case $(cat) in
*'"stop_hook_active":true'*) exit 0 ;;
esac
echo 'is the list empty? go on if it is not' >&2
exit 2
