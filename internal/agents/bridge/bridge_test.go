package bridge_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/tidwall/gjson"
)

// home is a home with plugins, by their names, and a configuration.
func home(t *testing.T, config string, plugins map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "plugins"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, script := range plugins {
		if err := os.WriteFile(filepath.Join(dir, "plugins", name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// script is a plugin that is asked at these points and runs a script there.
func script(name, points, body string) string {
	return fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = --schema ]; then\n"+
		"  echo '{\"name\": %q, \"description\": \"d\", \"tool\": false, \"hooks\": [%s]}'\n"+
		"  exit\nfi\n%s\n", name, points, body)
}

// event is an event of Claude Code in a home.
func event(home, name string) bridge.Event {
	claude, _ := agents.ByName("claude")
	return bridge.Event{Agent: claude, Name: name, Options: app.Options{Home: home}}
}

const call = `{"session_id":"s1","tool_name":"Bash","tool_use_id":"c1","tool_input":{"command":"ls %s"}}`

// answer answers an event and returns the decision, its reason and the text for the person.
func answer(e bridge.Event, payload string) (decision, reason, told string) {
	out := e.Answer(context.Background(), strings.NewReader(payload))
	got := gjson.ParseBytes(out.Stdout)
	own := got.Get("hookSpecificOutput")
	return own.Get("permissionDecision").Str, own.Get("permissionDecisionReason").Str,
		got.Get("systemMessage").Str + out.Stderr
}

func TestAPluginThatHangsIsBounded(t *testing.T) {
	hangs := map[string]string{"hangs": script("hangs", `"pre_tool"`, "exec sleep 100000")}
	for name, test := range map[string]struct{ config, decision string }{
		"an ordinary one": {"", ""},
		"a guard":         {"[plugins.hangs]\non_failure = \"block\"\n", "deny"},
	} {
		e := event(home(t, test.config, hangs), "PreToolUse")
		e.Deadline = 500 * time.Millisecond
		decision, reason, told := answer(e, fmt.Sprintf(call, ""))
		if decision != test.decision || !strings.Contains(reason+told, "no answer before the time for this event was over") {
			t.Errorf("%s: %q, %q, %q", name, decision, reason, told)
		}
	}
}

func TestALargePayloadPasses(t *testing.T) {
	counts := map[string]string{"counts": script("counts", `"pre_tool"`,
		`n=$(wc -c); echo "{\"block\": true, \"message\": \"$n bytes\"}"`)}
	e := event(home(t, "", counts), "PreToolUse")
	decision, reason, _ := answer(e, fmt.Sprintf(call, strings.Repeat("x", 600<<10)))
	var n int
	if fmt.Sscanf(strings.TrimSpace(reason), "%d bytes", &n); decision != "deny" || n < 600<<10 {
		t.Errorf("%q, %q", decision, reason)
	}
}

// Whatever the agent calls its session, the directory is one below the home.
func TestSessionsAreDirectoriesBelowTheHome(t *testing.T) {
	dir := home(t, "", map[string]string{"asked": script("asked", `"pre_tool"`, "true")})
	for _, id := range []string{"", "..", "../../x", "a/b", strings.Repeat("x", 5000), "CON.", "ok-1", "OK-1"} {
		payload := fmt.Sprintf(`{"session_id":%q,"tool_name":"Bash","tool_input":{"command":"ls"}}`, id)
		event(dir, "PreToolUse").Answer(context.Background(), strings.NewReader(payload))
	}
	sessions, err := os.ReadDir(filepath.Join(dir, "bridge", "claude"))
	if err != nil || len(sessions) != 8 {
		t.Errorf("%v, %v", sessions, err)
	}
	left, err := os.ReadDir(dir)
	for _, e := range left {
		if !slices.Contains([]string{"bridge", "config.toml", "plugins", "schemas.json", "schemas.json.lock"}, e.Name()) {
			t.Errorf("the home has %s, %v", e.Name(), err)
		}
	}
}

// Events that come at the same time are lines of one trace, each dispatch with its own lines.
func TestEventsAtTheSameTimeShareATrace(t *testing.T) {
	dir := home(t, "", map[string]string{"asked": script("asked", `"pre_tool", "pre_message"`, "true")})
	event(dir, "UserPromptSubmit").Answer(context.Background(), strings.NewReader(`{"session_id":"s1","prompt":"hello"}`))
	var all sync.WaitGroup
	var told atomic.Bool // one had to wait for the others for too long, and says so once in the session
	for n := range 8 {
		all.Go(func() {
			out := event(dir, "PreToolUse").Answer(context.Background(), strings.NewReader(fmt.Sprintf(call, fmt.Sprint(n))))
			if strings.Contains(string(out.Stdout)+out.Stderr, "some of it is missing") {
				told.Store(true)
			}
		})
	}
	all.Wait()
	turns, bad, err := trace.ReadFile(filepath.Join(dir, "bridge", "claude", "s1", app.BridgeTrace))
	if err != nil || bad != 0 || len(turns) != 1 {
		t.Fatalf("%d turns, %d bad lines, %v", len(turns), bad, err)
	}
	if n := len(turns[0].Dispatches()); turns[0].Prompt() != "hello" || n != 9 && !told.Load() {
		t.Errorf("%q, %d dispatches", turns[0].Prompt(), n)
	}
}

// A home that is broken: the agent goes on, and with FailClosed every call is denied.
func TestABrokenHome(t *testing.T) {
	notADirectory := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(notADirectory, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"configuration": home(t, "x = 1\n", nil), "no directory": notADirectory} {
		e := event(dir, "PreToolUse")
		if decision, _, _ := answer(e, fmt.Sprintf(call, "")); decision != "" {
			t.Errorf("%s: %q", name, decision)
		}
		e.FailClosed = true
		if decision, reason, _ := answer(e, fmt.Sprintf(call, "")); decision != "deny" || reason == "" {
			t.Errorf("%s, closed: %q, %q", name, decision, reason)
		}
		stop := event(dir, "Stop")
		stop.FailClosed = true
		if out := stop.Answer(context.Background(), strings.NewReader(`{"session_id":"s1"}`)); bytes.Contains(out.Stdout,
			[]byte("block")) {
			t.Errorf("%s: the turn would go on for ever: %s", name, out.Stdout)
		}
	}
}

func TestAnAgentThatSaysNothingIsNotWaitedForForEver(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	e := event(home(t, "", nil), "PreToolUse")
	e.Deadline, e.FailClosed = time.Millisecond, true
	if out := e.Answer(context.Background(), r); !bytes.Contains(out.Stdout, []byte(`"deny"`)) {
		t.Errorf("%s %s", out.Stdout, out.Stderr)
	}
}

// A home that is named from a directory stays that one where plugins run in another directory.
func TestAHomeIsNamedFromWhereChibiStarts(t *testing.T) {
	guard := script("guard", `"pre_tool"`, `echo '{"block":true,"message":"no"}'`)
	dir := home(t, "", map[string]string{"guard": guard})
	t.Chdir(filepath.Dir(dir))
	e := event(filepath.Base(dir), "PreToolUse")
	host := bridge.NewHost(e.Options, e.Agent)
	defer host.Close()
	for range 2 {
		payload := fmt.Sprintf(`{"session_id":"s1","cwd":%q,"tool_name":"Bash","tool_input":{"command":"ls"}}`, t.TempDir())
		out := host.Answer(t.Context(), bridge.Asked{Event: e.Name, Payload: []byte(payload)})
		if !strings.Contains(string(out.Stdout), `"deny"`) {
			t.Errorf("the host answers %s", out.Stdout)
		}
		t.Chdir(filepath.Dir(dir))
		if decision, _, told := answer(e, payload); decision != "deny" {
			t.Errorf("%q, %s", decision, told)
		}
	}
}
