package bridge_test

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/engine"
)

func TestAnEntryIsReadAsItWasWritten(t *testing.T) {
	for _, e := range []bridge.Entry{
		{Agent: "claude", Event: "PreToolUse"},
		{Agent: "claude", Event: "PreToolUse", Chibi: "/usr/local/bin/chibi", Home: "/home/a/.chibi"},
		{Agent: "codex", Event: "Stop", Chibi: "/Users/a b/it's/chibi", Home: "/Users/a b/it's", FailClosed: true,
			Deadline: 50 * time.Second},
		{Agent: "copilot", Event: "preToolUse", Chibi: "/opt/chibi-0.9", FailClosed: true},
	} {
		got, is := bridge.ParseEntry(e.Command())
		if !is || got != e {
			t.Errorf("%s\nis read as %+v, %v", e.Command(), got, is)
		}
	}
}

func TestEntriesThatPeopleWroteAreRecognised(t *testing.T) {
	for command, is := range map[string]bool{
		"chibi bridge run claude PreToolUse":                         true,
		"/usr/bin/chibi --home ~/other bridge run gemini BeforeTool": true,
		`"C:\Program Files\chibi.exe" bridge run claude Stop`:        true,
		"nice chibi bridge run claude Stop; true":                    true,
		"./guard.sh || exit 2; chibi bridge run claude Stop":         true,
		"echo bridge run":            false,
		"./guard.sh":                 false,
		"chibi bridge list":          false,
		"bridge run claude Stop":     false,
		"--home x bridge run claude": false,
	} {
		if _, got := bridge.ParseEntry(command); got != is {
			t.Errorf("%s: %v", command, got)
		}
	}
}

// What an entry does where there is no chibi: it says so and goes on, or denies.
func TestAnEntrySurvivesThatChibiIsGone(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "it's gone", "chibi")
	there := filepath.Join(t.TempDir(), "a b", "chibi")
	crashes := filepath.Join(t.TempDir(), "crashes $(exit 3)\nchibi")
	if err := os.MkdirAll(filepath.Dir(there), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(there, []byte("#!/bin/sh\necho \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(crashes, []byte("#!/bin/sh\nkill -9 $$\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, shell := range [][]string{{"sh", "-c"}, {"bash", "-c"}} {
		for name, test := range map[string]struct {
			entry  bridge.Entry
			exit   int
			output string
		}{
			"it goes on":     {bridge.Entry{Chibi: gone}, 0, "as there is no " + gone + "; install it again"},
			"it denies":      {bridge.Entry{Chibi: gone, FailClosed: true}, 2, "is not there or has failed: " + gone},
			"not in PATH":    {bridge.Entry{}, 0, "as there is no chibi in PATH; install it again"},
			"denied by name": {bridge.Entry{FailClosed: true}, 2, "is not there or has failed: chibi"},
			"it runs":        {bridge.Entry{Chibi: there, Home: "/h"}, 0, "--home /h bridge run claude PreToolUse"},
			"it runs closed": {bridge.Entry{Chibi: there, FailClosed: true},
				0, "bridge run claude PreToolUse --fail-closed"},
			"it is killed": {bridge.Entry{Chibi: crashes, FailClosed: true},
				2, "is not there or has failed: " + crashes},
			"at the end of a turn": {bridge.Entry{Chibi: gone, FailClosed: true, Event: "Stop"}, 0, ""},
		} {
			e := test.entry
			e.Agent, e.Event = "claude", cmp.Or(e.Event, "PreToolUse")
			cmd := exec.Command(shell[0], append(shell[1:], e.Command())...)
			cmd.Dir, cmd.Env = filepath.Dir(there), []string{"PATH=/usr/bin:/bin"} // events answered before changed ours
			out, _ := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != test.exit || !strings.Contains(string(out), test.output) ||
				test.output == "" && len(out) > 0 {
				t.Errorf("%s, %s: exit %d, %s", shell[0], name, cmd.ProcessState.ExitCode(), out)
			}
		}
	}
}

// Crush gives hooks the command of a call in a variable, too. No program can be started with one of 128 KiB.
func TestALongCommandDoesNotKeepAnEntryFromRunning(t *testing.T) {
	chibi := filepath.Join(t.TempDir(), "chibi")
	if err := os.WriteFile(chibi, []byte("#!/bin/sh\necho asked\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	const long = `x=$(printf %0200000d 0); export CRUSH_TOOL_INPUT_COMMAND=$x CRUSH_TOOL_INPUT_FILE_PATH=$x; `
	for _, closed := range []bool{false, true} {
		entry := bridge.Entry{Agent: "crush", Event: "PreToolUse", Chibi: chibi, FailClosed: closed}
		out, err := exec.Command("sh", "-c", long+entry.Command()).CombinedOutput()
		if got, is := bridge.ParseEntry(entry.Command()); string(out) != "asked\n" || err != nil || !is || got != entry {
			t.Errorf("%s, %v, read as %+v", out, err, got)
		}
	}
}

// Without chibi, an entry prints a text and ends with a status, so that its agent tells the person where a session
// and a prompt begin, refuses nothing and tells the model nothing. Crush has neither event, Factory Droid, Grok
// Build and Kimi Code show nothing of hooks that go on, and Cursor has no message for prompts that go on.
func TestAGoneProgramIsTold(t *testing.T) {
	for agent, want := range map[string]string{
		"claude": "SessionStart UserPromptSubmit", "codex": "SessionStart UserPromptSubmit",
		"copilot": "sessionStart userPromptSubmitted", "crush": "", "cursor": "sessionStart", "droid": "",
		"gemini": "SessionStart BeforeAgent", "grok": "", "kimi": "", "qwen": "SessionStart UserPromptSubmit",
	} {
		d, _ := agents.ByName(agent)
		var told []string
		for _, event := range d.Events {
			if !event.Bridged {
				continue
			}
			command := bridge.Entry{Agent: agent, Event: event.Name, Chibi: `/no\such/it's "chibi"`}.Command()
			cmd := exec.Command("sh", "-c", command)
			var stdout, stderr strings.Builder
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			_ = cmd.Run()
			exit := cmd.ProcessState.ExitCode()
			eff := d.Effect(event, engine.Outcome{Stdout: []byte(stdout.String()), Stderr: stderr.String(), Exit: exit})
			if eff.Decision != "" || eff.Halt || eff.Failed != "" || eff.Context != "" || len(eff.Notes) > 0 {
				t.Errorf("%s: %s: %+v", agent, event.Name, eff)
			}
			isSaid := strings.Contains(stderr.String(), `there is no /no\such/it's "chibi"; `)
			if isSaid != (event.Kind.Refuses() || event.Kind == engine.SessionStart) {
				t.Errorf("%s: %s says %q", agent, event.Name, stderr.String())
			}
			begins := event.Kind == engine.SessionStart || event.Kind == engine.Prompt
			if begins && strings.Contains(eff.SystemMessage, `there is no /no\such/it's "chibi"`) {
				told = append(told, event.Name)
			}
		}
		if got := strings.Join(told, " "); got != want || got != strings.Join(bridge.ToldWhenGone(d), " ") {
			t.Errorf("%s tells the person at %q, want %q", agent, got, want)
		}
	}
}

// An entry as chibi writes it has no command of the person's in any agent, so it goes although the file has changed
// and chibi has forgotten what it wrote.
func TestEntriesOfEachAgentGoWithoutAReceipt(t *testing.T) {
	for _, agent := range agents.Bridges() {
		for _, failClosed := range []bool{false, true} {
			dir, chibi := t.TempDir(), home(t, "", nil)
			i := bridge.Installer{Agent: agent, Scope: engine.ScopeUser, Home: chibi, Chibi: "/bin/sh", UserHome: dir,
				Project: dir, Getenv: func(string) string { return "" }, FailClosed: failClosed, NoServer: true}
			done, err := i.Add()
			if err != nil || len(done.Files) != 1 {
				t.Fatalf("%s: %v, %v", agent.Name, done.Files, err)
			}
			if filepath.Ext(done.Files[0]) == ".js" {
				continue // chibi removes only the file that it wrote
			}
			file, err := os.OpenFile(done.Files[0], os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			file.WriteString("\n\n")
			file.Close()
			os.Remove(filepath.Join(chibi, "bridge", "added.json"))
			if _, err := i.Remove(); err != nil {
				t.Errorf("%s, fail-closed %v: %v", agent.Name, failClosed, err)
			}
			if text, _ := os.ReadFile(done.Files[0]); strings.Contains(string(text), "bridge run") {
				t.Errorf("%s: entries stay:\n%s", agent.Name, text)
			}
		}
	}
}
