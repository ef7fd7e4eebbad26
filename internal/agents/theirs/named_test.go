package theirs

import "testing"

func TestTheScriptOfACommand(t *testing.T) {
	for command, want := range map[string]string{
		`python3 ~/hooks/guard.py --strict`:                `guard.py`,
		`"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh`:     `guard.sh`,
		`/usr/bin/env python3 guard.py`:                    `guard.py`,
		`python3.12 guard.py /tmp/log`:                     `guard.py`,
		`/bin/sh -c '.claude/hooks/guard.sh | tee /tmp/x'`: `guard.sh`,
		`notify --all`:  `notify`,
		`/usr/bin/true`: `true`,
		` `:             ``,
	} {
		if got := script(command); got != want {
			t.Errorf("%s: %q; want %q", command, got, want)
		}
	}
}
