#!/bin/sh
# event: UserPromptSubmit
# input: {"prompt":"fix the build"}
# home: tells the model: tabs
cat >/dev/null
cat <<'EOF'
{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"indent with tabs"}}
EOF
