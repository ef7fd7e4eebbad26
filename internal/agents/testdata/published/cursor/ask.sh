#!/bin/sh
# event: beforeShellExecution
# input: {"tool":"shell_exec","arguments":{"command":"terraform apply"}}
# home: ask
grep -q '"command":"terraform' && { echo '{"permission":"ask"}'; exit 0; }
echo '{"permission":"allow"}'
