#!/bin/sh
# event: UserPromptSubmit
# input: {"prompt":"my key is sk-live-1234"}
# home: deny: no keys please
grep -q 'sk-live' || exit 0
echo 'no keys please' >&2
exit 2
