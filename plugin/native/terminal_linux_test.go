package native_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/terminaltest"
	"github.com/chibi-host/chibi/plugin"
	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// Plugins that ask the person at /dev/tty: as a hook and as a tool.
const (
	askBash = `#!/bin/bash
[ "$1" = --schema ] && { echo '{"name":"ask","hooks":["pre_tool"]}'; exit; }
read -r a </dev/tty || exit 3
[ -n "$AFTER" ] && sh -c "$AFTER"
if [ -n "$CHIBI_HOOK" ]; then [ "$a" = y ] || echo '{"block":true,"message":"the person said '"$a"'"}'
else echo "answer $a"; fi
`
	askPython = `#!/usr/bin/env python3
import json, os, subprocess, sys
if sys.argv[1:] == ["--schema"]:
    print('{"name":"ask","hooks":["pre_tool"]}'); sys.exit()
with open("/dev/tty") as tty:
    a = tty.readline().strip()
if os.environ.get("AFTER"): subprocess.run(["sh", "-c", os.environ["AFTER"]])
if os.environ.get("CHIBI_HOOK"):
    if a != "y": print(json.dumps({"block": True, "message": "the person said " + a}))
else: print("answer " + a)
`
)

func TestAPluginAsksThePersonAtTheTerminal(t *testing.T) {
	beHost(t)
	t.Parallel()
	const asked = `plugin "a" asked the person and then failed: `
	tests := []struct {
		name, typed string
		host        host
		after       string // what the plugin does with the answer first
		hook, tool  string
	}{
		{name: "the person says yes", typed: "y\n", hook: "block=false  <nil>", tool: "answer y interrupted=false"},
		{name: "the person says no", typed: "n\n", hook: "block=true the person said n <nil>",
			tool: "answer n interrupted=false"},
		{name: "the person presses Ctrl-C", typed: "\x03",
			hook: "block=true " + asked + "ended by Ctrl-C <nil>", tool: " interrupted=true"},
		{name: "the person says nothing", host: host{TimeoutMS: 6000, PatienceMS: 1},
			hook: "block=true " + asked + "no answer after 6s <nil>", tool: "Error: no answer after 6s interrupted=false"},
		{name: "it dies with the answer", typed: "y\n", after: "exec kill -9 $PPID", host: host{OnFailure: plugin.Ignore},
			hook: "block=true " + asked + "ended by signal: killed <nil>",
			tool: "Error: ended by signal: killed interrupted=false"},
	}
	for _, tt := range tests {
		for language, script := range map[string]string{"bash": askBash, "python": askPython} {
			for what, want := range map[string]string{"hook": tt.hook, "tool": tt.tool} {
				t.Run(strings.Join([]string{tt.name, language, what}, ", "), func(t *testing.T) {
					t.Parallel()
					h := tt.host
					h.Dir, h.What = newPluginDir(t).file("a", script, 0o755).dir, what
					h.TimeoutMS, h.PatienceMS = cmp.Or(h.TimeoutMS, 60_000), cmp.Or(h.PatienceMS, 60_000)
					h.Env = []string{"AFTER=" + tt.after}
					lines := h.session(t, "", func(line string, person *terminaltest.Person) {
						if line == "lent" {
							person.WriteString(tt.typed)
						}
					})
					if got, want := strings.Join(lines, "\n"), "lent\nback\n"+want+"\nforeground=true echo=true"; got != want {
						t.Errorf("got\n%s\nwant\n%s", got, want)
					}
				})
			}
		}
	}
}

// typing answers each loan with the next of these.
func typing(answers ...string) func(line string, person *terminaltest.Person) {
	return func(line string, person *terminaltest.Person) {
		if line == "lent" && len(answers) > 0 {
			person.WriteString(answers[0])
			answers = answers[1:]
		}
	}
}

func mustSay(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestAPluginThatAsksAgainAndAgainHasNoMoreTime: each stop of its process looks like
// a question, and would be a new beginning of its time.
func TestAPluginThatAsksAgainAndAgainHasNoMoreTime(t *testing.T) {
	beHost(t)
	t.Parallel()
	stops := `#!/bin/bash
[ "$1" = --schema ] && { echo '{"name":"ask","hooks":["pre_tool"]}'; exit; }
while :; do kill -TTIN $$; sleep 0.1; done
`
	f := newPluginDir(t).file("a", stops, 0o755)
	lines := host{Dir: f.dir, What: "tool", TimeoutMS: 2000, PatienceMS: 1}.session(t, "", typing())
	mustSay(t, lines, "lent", "back", "Error: no answer after 2s interrupted=false", "foreground=true echo=true")
}

func TestTwoGuardsThatAskAtOnceTakeTurns(t *testing.T) {
	beHost(t)
	guard := strings.ReplaceAll(askBash, `"hooks":["pre_tool"]`, `"hooks":["pre_tool"],"guards":["pre_tool"]`)
	f := newPluginDir(t).file("a", guard, 0o755).file("b", strings.ReplaceAll(guard, `"ask"`, `"other"`), 0o755)
	lines := host{Dir: f.dir, What: "hook", TimeoutMS: 60_000}.session(t, "", typing("y\n", "n\n"))
	mustSay(t, lines, "lent", "back", "lent", "back", "block=true the person said n <nil>", "foreground=true echo=true")
}

func TestTheClockOfAPluginThatAsksStandsStill(t *testing.T) {
	beHost(t)
	t.Parallel()
	const limit = 10 * time.Second // more than starting a shell takes on any machine
	asks := strings.Replace(askBash, `"hooks"`, fmt.Sprintf(`"timeout_ms":%d,"hooks"`, limit.Milliseconds()), 1)
	f := newPluginDir(t).file("a", asks, 0o755)
	lines := host{Dir: f.dir, What: "hook"}.session(t, "",
		func(line string, person *terminaltest.Person) {
			if line == "lent" {
				time.Sleep(limit + 500*time.Millisecond)
				person.WriteString("y\n")
			}
		})
	mustSay(t, lines, "lent", "back", "block=false  <nil>", "foreground=true echo=true")
}

func TestWhatWasTypedBeforeTheQuestionIsNoAnswer(t *testing.T) {
	beHost(t)
	early := filepath.Join(t.TempDir(), "typed")
	script := strings.Replace(askBash, "read -r", "echo typed? >&2\nwhile [ ! -e \"$EARLY\" ]; do sleep 0.01; "+
		"done\nread -r", 1)
	f := newPluginDir(t).file("a", script, 0o755)
	lines := host{Dir: f.dir, What: "hook", TimeoutMS: 60_000, Env: []string{"EARLY=" + early}}.session(t, "",
		func(line string, person *terminaltest.Person) {
			switch line {
			case "typed?":
				person.WriteString("y\n")
				person.Sees(t, "y") // its echo: the terminal has it
				os.WriteFile(early, nil, 0o600)
			case "lent":
				person.WriteString("n\n")
			}
		})
	mustSay(t, lines, "lent", "back", "block=true the person said n <nil>", "foreground=true echo=true")
}

func TestAPluginThatHidesWhatIsTypedAndDiesLeavesTheTerminalAsItWas(t *testing.T) {
	beHost(t)
	f := newPluginDir(t).file("a", strings.Replace(askBash, "read -r", "read -rs", 1), 0o755)
	lines := host{Dir: f.dir, What: "hook", TimeoutMS: 60_000}.session(t, "", typing("\x03"))
	mustSay(t, lines, "lent", "back", `block=true plugin "a" asked the person and then failed: ended by Ctrl-C <nil>`,
		"foreground=true echo=true")
}

func TestAPluginThatAsksAndCannotHaveTheTerminalBlocks(t *testing.T) {
	beHost(t)
	f := newPluginDir(t).file("a", askBash, 0o755)
	for name, h := range map[string]host{"nobody lends it": {NoLender: true},
		"the host is in the background": {Behind: true}} {
		t.Run(name, func(t *testing.T) {
			h.Dir, h.What, h.TimeoutMS = f.dir, "hook", 60_000
			lines := h.session(t, "", typing())
			mustSay(t, lines[:1], `block=true plugin "a" asked the person and then failed: it asks at the terminal, which `+
				`cannot be lent to it <nil>`)
		})
	}
}

func TestJobsOfAShell(t *testing.T) {
	beHost(t)
	f := newPluginDir(t).file("a", askBash, 0o755)
	for _, tt := range []struct {
		name, script string
		typed        map[string]string // what the person answers to a line
		want         []string
	}{
		{"Ctrl-Z during a question suspends the host too", `$HOST; echo stopped; fg >/dev/null; exit`,
			map[string]string{"lent": "\x1a", "stopped": "y\n"},
			[]string{"lent", "back", "block=false  <nil>", "foreground=true echo=true"}},
		{"a host in the background is stopped by the question", `$HOST & wait $!; echo stopped; fg >/dev/null; exit`,
			map[string]string{"lent": "y\n"},
			[]string{"lent", "back", "block=false  <nil>", "foreground=true echo=true"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := host{Dir: f.dir, What: "hook", TimeoutMS: 60_000, Env: []string{"DIR=" + t.TempDir()}}
			lines := h.session(t, tt.script, func(line string, person *terminaltest.Person) {
				person.WriteString(tt.typed[line])
			})
			mustSay(t, lines, tt.want...)
		})
	}
}

// pager reads a key from the terminal as less does: it looks at the window's
// size when that changes.
const pager = `
import os, signal, sys
signal.signal(signal.SIGWINCH, lambda *_: os.write(1, b"pager: looks again\n"))
with open("/dev/tty") as tty:
    print("pager: reads", flush=True)
    print("host: the pager read " + tty.readline().strip(), flush=True)
sys.stdout.write(sys.stdin.read())
`

func TestAPagerThatReadsFromTheTerminalWaitsForTheAnswer(t *testing.T) {
	beHost(t)
	ready := filepath.Join(t.TempDir(), "ready")
	plugin := strings.Replace(askBash, "read -r", "while [ ! -e \"$READY\" ]; do sleep 0.01; done\nread -r", 1)
	f := newPluginDir(t).file("a", plugin, 0o755)
	h := host{Dir: f.dir, What: "hook", TimeoutMS: 60_000, Env: []string{"READY=" + ready, "PAGER=" + pager}}
	const script = `$HOST | python3 -c "$PAGER"; exit`
	lines := h.session(t, script, func(line string, person *terminaltest.Person) {
		switch line {
		case "pager: reads":
			os.WriteFile(ready, nil, 0o600)
		case "pager: looks again": // so it does not wait in a read that would take the answer
			asking, _ := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPGRP)
			person.WriteString("y\n")
			waitUntilGiven(t, person, asking) // to the host and its pager again
			person.WriteString("k\n")
		}
	})
	mustSay(t, lines[:1], "the pager read k")
	mustSay(t, lines[2:], "back", "block=false  <nil>", "foreground=true echo=true")
}

// older is a plugin as the older generation wrote them: what it is asked is in a
// variable, and the person's answer on standard input.
const older = `#!/bin/sh
[ "$1" = --schema ] && { echo '{"name":"ask","hooks":["pre_tool"]}'; exit; }
case "$CHIBI_HOOK_DATA$CHIBI_TOOL_ARGS" in *command*) ;; *) exit 4;; esac
read -r a
if [ -n "$CHIBI_HOOK" ]; then [ "$a" = y ] || echo '{"block":true,"message":"the person said '"$a"'"}'
else echo "answer $a"; fi
`

func TestAPluginReadsThePersonsAnswerFromStandardInput(t *testing.T) {
	beHost(t)
	f := newPluginDir(t).file("a", older, 0o755)
	const failed = `block=true plugin "a" asked the person and then failed: `
	for _, tt := range []struct{ what, typed, want string }{
		{"hook", "y\n", "block=false  <nil>"},
		{"hook", "n\n", "block=true the person said n <nil>"},
		{"hook", "\x03", failed + "ended by Ctrl-C <nil>"},
		{"large hook", "", `block=true plugin "a" could not see this call, which is too large for that hook: could not be ` +
			`started: 140 kB of data are too large for the environment, and its standard input is the terminal. Make the call ` +
			`smaller <nil>`},
		{"tool", "y\n", "answer y interrupted=false"},
	} {
		t.Run(tt.what+" "+tt.typed, func(t *testing.T) {
			want := []string{"lent", "back", tt.want, "foreground=true echo=true"}
			if tt.typed == "" {
				want = want[2:]
			}
			lines := host{Dir: f.dir, What: tt.what, TimeoutMS: 60_000, Stdin: "inherit"}.session(t, "", typing(tt.typed))
			mustSay(t, lines, want...)
		})
	}
}
