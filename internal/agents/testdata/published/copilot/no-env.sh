#!/bin/sh
# event: preToolUse
# input: {"tool":"write_file","arguments":{"path":"/p/.env","content":"A=1"}}
# home: deny: environment files
case $(cat) in
*'"path":"'*'.env"'*)
  echo '{"permissionDecision":"deny","permissionDecisionReason":"environment files are not edited"}' ;;
esac
