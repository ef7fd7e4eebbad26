package bridge_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/bridge"
)

// guarded is a home with a guard of chibi's own and a hook of Claude Code that leaves a variable.
func guarded(t *testing.T) (dir string) {
	t.Helper()
	dir = foreign(t, "claude", groups(map[string]string{
		"SessionStart": `echo "export LEFT=secret-value" >>"$CLAUDE_ENV_FILE"; echo started`,
		"PreToolUse":   `echo "$LEFT" >>"$HOOKS/left"`,
	}))
	write(t, filepath.Join(dir, "plugins", "guard"), script("guard", `"pre_tool"`,
		`grep -q forbidden && echo '{"block":true,"message":"not this"}'; exit 0`))
	return dir
}

const forbidden = `{"session_id":"s1","tool_name":"Bash","tool_input":{"command":"forbidden"}}`

// A session's directory that is a link, or that others may change, or that is somebody else's, gets nothing, and
// chibi believes nothing in it. Guards hold, and chibi tells the person.
func TestASessionsDirectoryThatIsNotItsOwn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has neither such owners nor such modes")
	}
	for name, make := range map[string]func(path, elsewhere string) error{
		"a link": func(path, elsewhere string) error { return os.Symlink(elsewhere, path) },
		"changed by others": func(path, _ string) error {
			return os.Chmod(path, 0o777)
		},
		"somebody else's": func(path, _ string) error { return os.Chown(path, 12345, 12345) },
		"a file":          func(path, _ string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, elsewhere := guarded(t), t.TempDir()
			path := filepath.Join(dir, "bridge", "codex", "s1")
			parent := path
			if strings.HasPrefix(name, "a ") {
				parent = filepath.Dir(path)
			}
			if err := os.MkdirAll(parent, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := make(path, elsewhere); err != nil {
				t.Skip(err) // only root gives files away
			}
			out := tell(t, dir, "codex", "SessionStart", `{"session_id":"s1","source":"startup"}`)
			if !strings.Contains(out, "started") || !strings.Contains(out, "chibi keeps nothing of the session") {
				t.Errorf("the session started with %s", out)
			}
			if out := tell(t, dir, "codex", "PreToolUse", forbidden); !strings.Contains(out, "not this") {
				t.Errorf("the guard did not hold: %s", out)
			}
			for _, at := range []string{path, elsewhere} {
				if files, _ := os.ReadDir(at); len(files) > 0 {
					t.Errorf("%s was written", files[0].Name())
				}
			}
			if left, _ := os.ReadFile(filepath.Join(dir, "left")); strings.Contains(string(left), "secret") {
				t.Errorf("what was left was kept somewhere: %s", left)
			}
		})
	}
}

// Cursor does not say how a session starts.
func TestAStartOfNoKindIsAStartup(t *testing.T) {
	dir := foreign(t, "claude", strings.Replace(groups(map[string]string{"SessionStart": `cat >"$HOOKS/payload"`}),
		`"hooks":[`, `"matcher":"startup","hooks":[`, 1))
	tell(t, dir, "cursor", "sessionStart", `{"session_id":"s1"}`)
	if payload, _ := os.ReadFile(filepath.Join(dir, "payload")); !strings.Contains(string(payload), `"source":"startup"`) {
		t.Errorf("the hook got %s", payload)
	}
}

// An agent that names no session may have several: nothing is remembered of them.
func TestNothingIsRememberedOfNoSession(t *testing.T) {
	dir := guarded(t)
	write(t, filepath.Join(dir, "plugins", "begins"), script("begins", `"on_start"`,
		`echo on_start >>"$CHIBI_HOME/began"`))
	for range 2 {
		if out := tell(t, dir, "codex", "SessionStart", `{"source":"startup"}`); !strings.Contains(out, "started") {
			t.Errorf("the session started with %s", out)
		}
		if out := tell(t, dir, "codex", "UserPromptSubmit", `{"prompt":"hello"}`); strings.Contains(out, "started") {
			t.Errorf("the session started again: %s", out)
		}
	}
	if began, _ := os.ReadFile(filepath.Join(dir, "began")); strings.Count(string(began), "on_start") != 2 {
		t.Errorf("%s", began)
	}
}

// Variables are bounded: chibi does not keep too many, and says so.
func TestVariablesAreBounded(t *testing.T) {
	dir := foreign(t, "cursor", `{"version":1,"hooks":{"sessionStart":[{"command":`+
		`"printf '{\"env\":{\"BIG\":\"%40000d\"}}' 0"}]}}`)
	if out := tell(t, dir, "codex", "SessionStart", `{"session_id":"s1","source":"startup"}`); !strings.Contains(out,
		"its variables are not kept: with the earlier hooks' variables they are 40003 bytes, and at most 32768 are") {
		t.Error(out)
	}
}

// A variable with which no process can be started is not kept: it would keep all later hooks from running.
func TestAVariableThatNoProcessCanHave(t *testing.T) {
	dir := foreign(t, "cursor", `{"version":1,"hooks":{"sessionStart":[{"command":`+
		`"cat $HOOKS/env.json"}],`+
		`"preToolUse":[{"command":"echo $GOOD >$HOOKS/left; echo '{\"permission\":\"deny\"}'"}]}}`)
	write(t, filepath.Join(dir, "env.json"), `{"env":{"BAD":"a\u0000b","A=B":"c","":"d","GOOD":"e"}}`)
	out := tell(t, dir, "codex", "SessionStart", `{"session_id":"s1","source":"startup"}`)
	for _, name := range []string{`"BAD"`, `"A=B"`, `""`} {
		if !strings.Contains(strings.ReplaceAll(out, `\`, ""), name+" is not kept: no process can have such a variable") {
			t.Errorf("%s is not named: %s", name, out)
		}
	}
	if out := tell(t, dir, "codex", "PreToolUse", forbidden); !strings.Contains(out, "deny") {
		t.Errorf("the hook was not asked: %s", out)
	}
	if left, _ := os.ReadFile(filepath.Join(dir, "left")); strings.TrimSpace(string(left)) != "e" {
		t.Errorf("it had %q", left)
	}
}

// If chibi cannot write, it asks hooks and guards as if it remembered nothing, and says what is lost.
func TestASessionOfWhichNothingCanBeKept(t *testing.T) {
	dir := guarded(t)
	if err := os.MkdirAll(filepath.Join(dir, "bridge", "codex", "s1", "session.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	out := tell(t, dir, "codex", "SessionStart", `{"session_id":"s1","source":"startup"}`)
	if !strings.Contains(out, "started") || !strings.Contains(out, "its variables are not kept: ") {
		t.Errorf("the session started with %s", out)
	}
	if out := tell(t, dir, "codex", "PreToolUse", forbidden); !strings.Contains(out, "not this") {
		t.Errorf("the guard did not hold: %s", out)
	}
}

// A hook for which no process can be started is one that failed, and leaves no job behind; there are only so
// many of a session, each with a file that only its owner may read.
func TestHooksInTheBackgroundAreBounded(t *testing.T) {
	dir := foreign(t, "claude", strings.Replace(groups(map[string]string{"PreToolUse": "true"}), `"type"`,
		`"async":true,"type"`, 1))
	e := event(dir, "PreToolUse")
	e.Agent, _ = agents.ByName("codex")
	call := func(start bridge.Starter) string {
		e.Start = start
		out := e.Answer(t.Context(), strings.NewReader(forbidden))
		return string(out.Stdout) + out.Stderr
	}
	jobs := func() []os.DirEntry {
		list, _ := os.ReadDir(filepath.Join(dir, "bridge", "codex", "s1", "behind"))
		return list
	}
	if out := call(func(_, _ string) error { return fmt.Errorf("no more processes") }); len(jobs()) > 0 ||
		!strings.Contains(out, "it is not started in the background: no more processes") {
		t.Errorf("%d jobs, %s", len(jobs()), out)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { tell(t, dir, "codex", "SessionStart", `{"session_id":"s1","source":"resume"}`) })
	}
	out := ""
	for range 33 {
		out = call(func(_, path string) error {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			return nil
		})
	}
	all.Wait()
	if len(jobs()) != 32 || !strings.Contains(out, "32 hooks of the session run in the background, and at most 32 do") {
		t.Errorf("%d jobs, %s", len(jobs()), out)
	}
	tell(t, dir, "codex", "SessionEnd", `{"session_id":"s1"}`)
	if out := call(func(_, _ string) error { return nil }); len(jobs()) > 0 ||
		!strings.Contains(out, "it is not started in the background: the session has ended") {
		t.Errorf("%d jobs are left, %s", len(jobs()), out)
	}
}

// What a hook in the background says at the end of its session is waited for, and nothing of it is kept.
func TestAHookInTheBackgroundAtTheEndOfASession(t *testing.T) {
	dir := foreign(t, "claude", strings.Replace(groups(map[string]string{"SessionEnd": `echo '{"systemMessage":"bye"}'
echo bye >"$HOOKS/bye"`}), `"type"`, `"async":true,"type"`, 1))
	e := event(dir, "SessionEnd")
	e.Agent, _ = agents.ByName("codex")
	e.Start = func(_, job string) error { return fmt.Errorf("%s would end at once", job) }
	e.Answer(t.Context(), strings.NewReader(`{"session_id":"s1"}`))
	if _, err := os.Stat(filepath.Join(dir, "bye")); err != nil {
		t.Error(err)
	}
	state, err := os.ReadFile(filepath.Join(dir, "bridge", "codex", "s1", "session.json"))
	if err != nil || strings.Contains(string(state), "bye") {
		t.Errorf("%s, %v", state, err)
	}
}

// A job is one of a session of the home, by the name of its directory; others are not run.
func TestAJobOfAnotherPlace(t *testing.T) {
	dir := foreign(t, "claude", groups(map[string]string{"PreToolUse": `echo ran >"$HOOKS/ran"`}))
	text := `{"agent":"codex","event":"PreToolUse","session":%q,"run":"s1","job":{"hook":"claude:PreToolUse:1",` +
		`"point":"pre_tool","payload":{"tool_name":"shell_exec","arguments":{}},"identity":{}}}`
	own := filepath.Join(dir, "bridge", "codex", "s1", "behind", "job")
	for _, test := range []struct{ path, session, want string }{
		{filepath.Join(t.TempDir(), "job"), "s1", "is not a job of a session of this home"},
		{own, "../codex/s2", "is not a job of a session of this home"},
		{own, "s1", ""},
	} {
		if err := os.MkdirAll(filepath.Dir(test.path), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, test.path, fmt.Sprintf(text, test.session))
		err := bridge.Finish(t.Context(), test.path, event(dir, "").Options)
		if got := fmt.Sprint(err); test.want == "" && err != nil || !strings.Contains(got, test.want) {
			t.Errorf("%s: %v, want %q", test.path, err, test.want)
		}
		if _, err := os.Stat(filepath.Join(dir, "ran")); (err == nil) != (test.want == "") {
			t.Errorf("%s in %s: %v", test.path, test.session, err)
		}
	}
}
