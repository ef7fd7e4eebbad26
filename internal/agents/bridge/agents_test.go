package bridge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/app"
)

// text is a string as JSON.
func text(s string) json.RawMessage {
	raw, _ := json.Marshal(s)
	return raw
}

// commandAt is the moment before a command runs.
func commandAt(kind engine.Kind, command, dir string) engine.Moment {
	input, _ := json.Marshal(map[string]string{"command": command})
	return engine.Moment{Kind: kind, Values: map[engine.Value]json.RawMessage{
		engine.Session: text("11111111-2222-3333-4444-555555555555"), engine.Cwd: text(dir), engine.Project: text(dir),
		engine.ToolName: text("shell_exec"), engine.ToolCategory: text("shell"), engine.ToolSubject: text("command"),
		engine.ToolInput: input, engine.Command: text(command), engine.CallID: text("call_1"),
		engine.Time: text("2026-11-22T20:00:00.000Z"), engine.PermissionMode: text("default"),
	}}
}

// guardHome makes a home with the guard of the examples, and returns the directory of its plugins too.
func guardHome(t *testing.T) (dir, plugins string) {
	t.Helper()
	t.Chdir(".") // an event leaves the directory
	guard, err := os.ReadFile("../../../examples/plugins/guard-push")
	if err != nil {
		t.Fatal(err)
	}
	dir = home(t, "", map[string]string{"guard-push": string(guard)})
	return dir, filepath.Join(dir, "plugins")
}

// The guard of the examples, which docs/BRIDGE.md shows, holds in every agent: the payload before a command and the
// reading of the answer come from the agent's table.
func TestAGuardHoldsInEveryAgent(t *testing.T) {
	dir, where := guardHome(t)
	for _, d := range agents.Bridges() {
		for command, want := range map[string]hookpoints.Decision{
			"cd x && git -C y push": hookpoints.DecisionDeny, "git status": "",
		} {
			var decision hookpoints.Decision
			for _, e := range d.Events {
				if !e.Bridged || e.Kind != engine.BeforeTool && e.Kind != engine.BeforeShell {
					continue
				}
				payload, err := d.Payload(e, commandAt(e.Kind, command, where))
				if err != nil {
					t.Fatal(err)
				}
				event := bridge.Event{Agent: d, Name: e.Name, Options: app.Options{Home: dir}}
				out := event.Answer(context.Background(), bytes.NewReader(payload))
				effect := d.Effect(e, engine.Outcome{Stdout: out.Stdout, Stderr: out.Stderr, Exit: out.Exit})
				if effect.Failed != "" {
					t.Errorf("%s: %s cannot read %s: %s", d.Name, e.Name, out.Stdout, effect.Failed)
				}
				if effect.Decision != "" {
					decision = effect.Decision
				}
			}
			if decision != want {
				t.Errorf("%s: %s is %q, want %q", d.Name, command, decision, want)
			}
		}
	}
}

// A call whose command chibi cannot see whole does not pass the guard in any agent, at the event before all tools: the
// tool is one that no table names, or has the command where no table says.
func TestAnOddCommandPassesTheGuardInNoAgent(t *testing.T) {
	dir, where := guardHome(t)
	for _, d := range agents.Bridges() {
		i := slices.IndexFunc(d.Events, func(e engine.Event) bool { return e.Kind == engine.BeforeTool })
		at, shell, m := d.Events[i], "", commandAt(engine.BeforeTool, "ls", where)
		shell, _ = d.There(m)
		for input, tool := range map[string]string{`{"command":"git push"}`: "NewShell", `{"cmd":["git","push"]}`: "NewShell",
			`{"command":"git","args":["push"]}`: "NewShell", `{"cmd":"git push"}`: shell, `{}`: shell} {
			if d.Name == "cursor" && tool == shell {
				continue // its event before commands has the command
			}
			m.Values[engine.ToolName], m.Values[engine.ToolInput] = text(tool), json.RawMessage(input)
			delete(m.Values, engine.ToolCategory)
			delete(m.Values, engine.ToolSubject)
			payload, err := d.Payload(at, m)
			if err != nil {
				t.Fatal(err)
			}
			event := bridge.Event{Agent: d, Name: at.Name, Options: app.Options{Home: dir}}
			out := event.Answer(context.Background(), bytes.NewReader(payload))
			effect := d.Effect(at, engine.Outcome{Stdout: out.Stdout, Stderr: out.Stderr, Exit: out.Exit})
			if effect.Decision != hookpoints.DecisionDeny {
				t.Errorf("%s: %s is %q, %q: %s%s", d.Name, payload, effect.Decision, effect.Reason, out.Stdout, out.Stderr)
			}
		}
	}
}

// What chibi bridge add writes, chibi bridge list finds, and it is current.
func TestEveryAgentTakesEntries(t *testing.T) {
	for _, d := range agents.Bridges() {
		for _, scope := range []string{engine.ScopeUser, engine.ScopeProject} {
			dir := t.TempDir()
			chibi, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			i := bridge.Installer{Agent: d, Scope: scope, Home: home(t, "", nil), Chibi: chibi, UserHome: dir, Project: dir,
				Getenv: func(string) string { return "" },
				Run:    func(string, ...string) (bool, error) { return false, nil }}
			_, err = i.Add()
			if none := new(bridge.NoPlaceError); errors.As(err, &none) && d.Name == "kimi" && scope == engine.ScopeProject {
				continue // Kimi Code has no settings of a project
			}
			if err != nil {
				t.Errorf("%s, %s: %v", d.Name, scope, err)
				continue
			}
			found, err := i.Find()
			if err != nil || len(found) != 1 || found[0].Problem != "" || !found[0].Own {
				t.Errorf("%s, %s: %+v, %v", d.Name, scope, found, err)
			}
			if _, err := i.Remove(); err != nil {
				t.Error(err)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("%s, %s: it leaves %v, %v", d.Name, scope, left, err)
			}
		}
	}
}
