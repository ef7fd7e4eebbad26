package kode_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/kode"
	"github.com/chibi-host/chibi/plugin/plugintest"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/google/go-cmp/cmp"
)

// script writes a script for sh and returns its path.
func script(t *testing.T, name, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func options(t *testing.T, hooks ...kode.Hook) kode.Options {
	for i := range hooks {
		if hooks[i].Timeout == 0 {
			hooks[i].Timeout = time.Minute
		}
	}
	return kode.Options{Hooks: hooks, WorkDir: t.TempDir(), Session: "s1", Dir: t.TempDir(),
		Runner: process.Runner{Grace: 100 * time.Millisecond}}
}

func TestConformance(t *testing.T) {
	plugintest.Run(t, plugintest.Protocol{
		New: func(t *testing.T, name, body string, timeout time.Duration) plugin.Plugin {
			return kode.Load(options(t, kode.Hook{Event: "tool_call_pre", Exec: script(t, name, body),
				Timeout: timeout})).Plugins[0]
		},
		Block: func(message string) string {
			quoted, _ := json.Marshal(message)
			return fmt.Sprintf(`{"block":true,"annotation":%s}`, quoted)
		},
		Rewrite:       func(arguments string) string { return fmt.Sprintf(`{"replace_tool_input":%s}`, arguments) },
		FailureBlocks: true,
		Observe: &plugintest.Point{Info: hookpoints.OnEnd.Info(), Payload: `{}`,
			New: func(t *testing.T, name, body string) plugin.Plugin {
				return kode.Load(options(t, kode.Hook{Event: "session_end", Exec: script(t, name, body)})).Plugins[0]
			},
			Answer: func(text string) string { return fmt.Sprintf(`{"block":true,"annotation":%q}`, text) },
		},
	})
}

// host asks the hooks and keeps what the person is told.
func host(opts kode.Options) (*plugin.Host, *[]string) {
	notices := &[]string{}
	return &plugin.Host{Plugins: kode.Load(opts).Plugins,
		Notify: func(n plugin.Notice) { *notices = append(*notices, n.Text) }}, notices
}

func fire[P, A any](t *testing.T, h *plugin.Host, point hookpoints.Point[P, A], payload P) A {
	t.Helper()
	answer, err := plugin.Fire(t.Context(), h, point, payload)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// TestPayloadsAndVariables holds what every event carries, and all that a hook
// finds in its environment.
func TestPayloadsAndVariables(t *testing.T) {
	t.Setenv("CHIBI_API_KEY", "secret")
	t.Setenv("LANG", "C")
	t.Setenv("TMPDIR", "/tmp")
	t.Setenv("HOME", "/home/ada")
	keep := func(event string) (kode.Options, string) {
		out := t.TempDir() + "/out"
		return options(t, kode.Hook{Event: event, Exec: script(t, "keep",
			`cat > "$1"; pwd >> "$1"; env | grep -v '^\(PWD\|SHLVL\|_\|OLDPWD\)=' | sort >> "$1"`), Args: []string{out}}), out
	}
	tool := json.RawMessage(`{"command":"ls"}`)
	for _, test := range []struct {
		event, payload string
		fire           func(h *plugin.Host)
	}{
		{"session_start", `"work_dir":"<dir>","provider":"openrouter.ai","model":"m"`, func(h *plugin.Host) {
			fire(t, h, hookpoints.OnStart, hookpoints.OnStartPayload{Provider: "openrouter.ai", Model: "m"})
		}},
		{"user_prompt_submit", `"prompt":"a <b>","attachments":[]`, func(h *plugin.Host) {
			fire(t, h, hookpoints.PreMessage, hookpoints.PreMessagePayload{Prompt: "a <b>"})
		}},
		{"tool_call_pre", `"tool":"shell","input":{"command":"ls"},"auto_approve":false`, func(h *plugin.Host) {
			fire(t, h, hookpoints.PreTool, hookpoints.PreToolPayload{ToolName: "shell", Arguments: tool})
		}},
		{"tool_call_post", `"tool":"shell","exit_code":3,"output":"no","duration_ms":142`, func(h *plugin.Host) {
			fire(t, h, hookpoints.PreToolOutput, hookpoints.PreToolOutputPayload{ToolName: "shell", Arguments: tool,
				ExitCode: 3,
				Output:   "no", DurationMS: 142})
		}},
		{"tool_call_post", `"tool":"shell","exit_code":3,"output":"no\n","duration_ms":142,"status":"failed"`,
			func(h *plugin.Host) {
				fire(t, h, hookpoints.PreToolOutput, hookpoints.PreToolOutputPayload{
					ToolName: "shell", Arguments: tool, Outcome: hookpoints.Outcome{Status: hookpoints.StatusFailed},
					ExitCode: 3, DurationMS: 142,
					Preface: "Error: exit status 3 (why)\nstdout before that:\n",
					Output:  "Error: exit status 3 (why)\nstdout before that:\nno\n",
				})
			}},
		{"tool_call_post", `"tool":"shell","duration_ms":0,"status":"blocked"`, func(h *plugin.Host) {
			fire(t, h, hookpoints.PreToolOutput, hookpoints.PreToolOutputPayload{
				ToolName: "shell", Arguments: tool, Outcome: hookpoints.Outcome{Status: hookpoints.StatusBlocked},
				ExitCode: 1, Output: "no",
			})
		}},
		{"session_end", `"reason":"user_exit","turns":17`, func(h *plugin.Host) {
			fire(t, h, hookpoints.OnEnd, hookpoints.OnEndPayload{Reason: "user_exit", Turns: 17})
		}},
	} {
		t.Run(test.event, func(t *testing.T) {
			opts, out := keep(test.event)
			h, notices := host(opts)
			test.fire(h)
			got, err := os.ReadFile(out)
			if err != nil || len(*notices) > 0 {
				t.Fatalf("%v, %q", err, *notices)
			}
			want := strings.ReplaceAll(fmt.Sprintf(`{"event":%q,"session_id":"s1",%s}`+
				"\n<dir>\nHOME=/home/ada\nKODE_HOOK_EVENT=%s\nKODE_SESSION_ID=s1\nKODE_WORK_DIR=<dir>\nLANG=C\nPATH=%s\n"+
				"TMPDIR=/tmp\n",
				test.event, test.payload, test.event, os.Getenv("PATH")), "<dir>", opts.WorkDir)
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnswers holds the keys of Kode's output and the exit statuses.
func TestAnswers(t *testing.T) {
	for _, test := range []struct {
		name, event, body, want string
		notices                 []string // PATH stands for the hook's path
	}{
		{"silence passes", "tool_call_pre", "", `{}`, nil},
		{"an annotation", "tool_call_pre", `echo '{"annotation": "looked at it"}'`, `{}`, []string{"looked at it"}},
		{"block", "tool_call_pre", `echo '{"block": true, "annotation": "no rm"}'`,
			`{"block":true,"message":"no rm"}`, []string{"no rm"}},
		{"block without a reason", "tool_call_pre", `echo '{"block": true}'`,
			`{"block":true,"message":"refused by the hook PATH"}`, nil},
		{"behind a byte order mark", "tool_call_pre", `printf '\357\273\277{"block": true, "annotation": "no rm"}'`,
			`{"block":true,"message":"no rm"}`, []string{"no rm"}},
		{"input that is no object", "tool_call_pre", `echo '{"replace_tool_input": true}'`, `{}`,
			[]string{`"replace_tool_input" is not an object; ignored`}},
		{"block is false", "tool_call_pre", `echo '{"block": false}'`, `{}`, nil},
		{"an exit status blocks", "tool_call_pre", `echo "not here" >&2; exit 3`, `{"block":true,"message":"not here"}`,
			[]string{"KODE-HOOK-002: PATH: exit status 3 (not here)"}},
		{"an exit status beats what was printed", "tool_call_pre", `echo '{"replace_tool_input": {"a": 1}}'; exit 1`,
			`{"block":true,"message":"refused by the hook PATH: exit status 1"}`,
			[]string{"KODE-HOOK-002: PATH: exit status 1"}},
		{"input", "tool_call_pre", `echo '{"replace_tool_input": {"command": "ls -la"}}'`,
			`{"arguments":{"command":"ls -la"}}`, nil},
		{"the same input", "tool_call_pre", `echo '{"replace_tool_input": {"command": "ls"}}'`, `{}`, nil},
		{"several lines", "tool_call_pre", "printf '{\\n  \"block\": true,\\n  \"annotation\": \"x\"\\n}\\n'",
			`{"block":true,"message":"x"}`, []string{"x"}},
		{"no JSON", "tool_call_pre", "echo hello", `{}`,
			[]string{`KODE-HOOK-003: PATH: its output is not a JSON object: it begins with "hello"; ignored, as its exit ` +
				`status is 0`}},
		{"a list", "tool_call_pre", "echo '[]'", `{}`, []string{`KODE-HOOK-003: PATH: its output is not a JSON object: it ` +
			`begins with "[]"; ignored, as its exit status is 0`}},
		{"unknown keys", "tool_call_pre", `echo '{"decision": "block"}'`, `{}`, []string{`unknown key "decision"; ignored`}},
		{"a key of another event", "tool_call_pre", `echo '{"replace_prompt": "x"}'`, `{}`,
			[]string{`"replace_prompt" applies to user_prompt_submit only; ignored`}},
		{"block of a wrong type", "tool_call_pre", `echo '{"block": "yes"}'`, `{}`,
			[]string{`"block" is "yes", want true or false; ignored`}},
		{"a prompt", "user_prompt_submit", `echo '{"replace_prompt": "[REDACTED]"}'`, `{"prompt":"[REDACTED]"}`, nil},
		{"a prompt is blocked", "user_prompt_submit", `echo "not today" >&2; exit 1`, `{"block":true,"message":"not today"}`,
			[]string{"KODE-HOOK-002: PATH: exit status 1 (not today)"}},
		{"an output is withheld", "tool_call_post", `echo "secret found" >&2; exit 1`,
			`{"block":true,"message":"secret found"}`, []string{"KODE-HOOK-002: PATH: exit status 1 (secret found)"}},
		{"an input after the call", "tool_call_post", `echo '{"replace_tool_input": {}}'`, `{}`,
			[]string{`"replace_tool_input" applies to tool_call_pre only; ignored`}},
		{"the end cannot be refused", "session_end", `echo '{"block": true}'`, `{}`,
			[]string{"session_end cannot be refused; ignored"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := script(t, "hook", test.body)
			h, notices := host(options(t, kode.Hook{Event: test.event, Exec: path}))
			got := answer(t, h, test.event)
			if want := strings.ReplaceAll(test.want, "PATH", path); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			var want []string
			for _, n := range test.notices {
				want = append(want, strings.ReplaceAll(n, "PATH", path))
			}
			if diff := cmp.Diff(want, append([]string(nil), *notices...)); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}
		})
	}
}

// answer fires an event and returns what came of it.
func answer(t *testing.T, h *plugin.Host, event string) string {
	t.Helper()
	input := json.RawMessage(`{"command":"ls"}`)
	var got any
	switch event {
	case "session_start":
		got = fire(t, h, hookpoints.OnStart, hookpoints.OnStartPayload{})
	case "user_prompt_submit":
		got = fire(t, h, hookpoints.PreMessage, hookpoints.PreMessagePayload{Prompt: "hello"})
	case "tool_call_pre":
		got = fire(t, h, hookpoints.PreTool, hookpoints.PreToolPayload{ToolName: "shell", Arguments: input})
	case "tool_call_post":
		got = fire(t, h, hookpoints.PreToolOutput, hookpoints.PreToolOutputPayload{ToolName: "shell",
			Arguments: input, Output: "secret"})
	case "session_end":
		got = fire(t, h, hookpoints.OnEnd, hookpoints.OnEndPayload{})
	}
	data, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestSessionStartEndsTheRun: whatever goes wrong with it, unless it is written
// that its failure is to be ignored; a refusal counts all the same.
func TestSessionStartEndsTheRun(t *testing.T) {
	ignore := plugin.Override{OnFailure: plugin.Ignore}
	ignoreThere := plugin.Override{Hooks: map[hookpoints.Name]plugin.HookOverride{"on_start": {OnFailure: plugin.Ignore}}}
	for _, test := range []struct {
		name, body string
		override   plugin.Override
		idle       bool
		want       string // PATH stands for the hook's path; "": the run goes on
	}{
		{"it passes", "", plugin.Override{}, false, ""},
		{"an exit status", `echo "not today" >&2; exit 3`, plugin.Override{}, false,
			"KODE-HOOK-002: PATH: exit status 3 (not today)"},
		{"an exit status, and failures are ignored", "exit 3", ignore, false, "KODE-HOOK-002: PATH: exit status 3"},
		{"an answer", `echo '{"block": true, "annotation": "no"}'`, plugin.Override{}, false,
			`KODE-HOOK-002: PATH: no, it answered "block"`},
		{"a timeout", "exec sleep 600", plugin.Override{}, false, "KODE-HOOK-001: PATH: no answer after 300ms"},
		{"a timeout that is ignored", "exec sleep 600", ignore, false, ""},
		{"a timeout that is ignored there", "exec sleep 600", ignoreThere, false, ""},
		{"a run that asks nothing", "exit 3", plugin.Override{}, true, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			hook := kode.Hook{Event: "session_start", Exec: script(t, "hook", test.body)}
			if strings.Contains(test.body, "sleep") {
				hook.Timeout = 300 * time.Millisecond
			}
			opts := options(t, hook)
			opts.Idle, opts.Overrides = test.idle, map[string]plugin.Override{"kode:session_start:hook": test.override}
			h, _ := host(opts)
			_, err := plugin.Fire(t.Context(), h, hookpoints.OnStart, hookpoints.OnStartPayload{})
			var stopped *plugin.StartError
			switch want := strings.ReplaceAll(test.want, "PATH", hook.Exec); {
			case want == "" && err != nil:
				t.Errorf("err = %v, want none", err)
			case want != "" && (!errors.As(err, &stopped) || stopped.Err.Error() != want):
				t.Errorf("err = %v, want %s", err, want)
			}
		})
	}
}

func TestAnUnknownKeyIsWarnedAboutOnce(t *testing.T) {
	h, notices := host(options(t, kode.Hook{Event: "tool_call_pre", Exec: script(t, "hook", `echo '{"colour": 1}'`)}))
	answer(t, h, "tool_call_pre")
	answer(t, h, "tool_call_pre")
	if len(*notices) != 1 {
		t.Errorf("notices = %q", *notices)
	}
}

func TestATimeoutAndAMissingProgramBlock(t *testing.T) {
	slow := script(t, "slow", "exec sleep 600")
	for _, test := range []struct {
		name string
		hook kode.Hook
		want string
	}{
		{"timeout", kode.Hook{Exec: slow, Timeout: 200 * time.Millisecond}, "KODE-HOOK-001: " + slow +
			": no answer after 200ms"},
		{"no such file", kode.Hook{Exec: "/nowhere/hook"},
			"KODE-HOOK-004: /nowhere/hook: could not be started: no such file"},
		{"no such program", kode.Hook{Exec: "no-such-program"},
			"KODE-HOOK-004: no-such-program: there is no such program in PATH"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.hook.Event = "tool_call_pre"
			h, notices := host(options(t, test.hook))
			got := answer(t, h, "tool_call_pre")
			if !strings.Contains(got, `"block":true`) || !strings.Contains(got, test.want) {
				t.Errorf("got %s, want a block with %q", got, test.want)
			}
			if len(*notices) != 1 || !strings.HasPrefix((*notices)[0], test.want) {
				t.Errorf("notices = %q", *notices)
			}
		})
	}
}

// TestTheProgramIsNeverTheProjects: a bare name is looked up in PATH alone, a
// relative path begins at the directory of the configuration.
func TestTheProgramIsNeverTheProjects(t *testing.T) {
	opts := options(t, kode.Hook{Event: "tool_call_pre", Exec: "guard"},
		kode.Hook{Event: "tool_call_pre", Exec: "./guard"}, kode.Hook{Event: "tool_call_pre", Exec: "~/guard"})
	ran := opts.WorkDir + "/ran"
	for _, dir := range []string{opts.WorkDir, opts.Dir} {
		text := "#!/bin/sh\ntouch " + dir + "/ran\n"
		if err := os.WriteFile(dir+"/guard", []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", ".:"+os.Getenv("PATH"))
	t.Setenv("HOME", opts.Dir)
	h, _ := host(opts)
	answer(t, h, "tool_call_pre") // blocked by the first one, which is nowhere
	h.Plugins = h.Plugins[1:]
	answer(t, h, "tool_call_pre")
	if _, err := os.Stat(ran); !errors.Is(err, os.ErrNotExist) {
		t.Error("a program of the working directory ran")
	}
	if _, err := os.Stat(opts.Dir + "/ran"); err != nil {
		t.Error("the program beside the configuration did not run")
	}
}

func TestNamesOrderAndOverrides(t *testing.T) {
	h := func(event, exec string) kode.Hook { return kode.Hook{Event: event, Exec: exec} }
	opts := options(t, h("tool_call_pre", "/a/guard"), h("session_end", "/b/log"), h("tool_call_pre", "/b/guard"),
		h("turn", "/x"), h("session_start", "/off"))
	opts.Overrides = map[string]plugin.Override{"kode:session_start:off": {Disabled: true},
		"kode:tool_call_pre:guard": {OnFailure: plugin.Ignore}}
	loaded := kode.Load(opts)
	var got []string
	for _, p := range loaded.Plugins {
		got = append(got, p.Name+" "+p.Origin.Path+" "+string(p.OnFailure))
	}
	for _, s := range loaded.Skipped {
		got = append(got, s.Name+": "+s.Reason)
	}
	want := []string{
		"kode:tool_call_pre:guard /a/guard ignore", "kode:session_end:log /b/log block",
		"kode:tool_call_pre:guard:2 /b/guard block",
		`kode:turn:x: unknown event "turn"`, `kode:session_start:off: disabled by enabled = false in ` +
			`[plugins."kode:session_start:off"] of the configuration`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWhatMeansNothingBlocksWhereThatIsAskedFor: with on_failure = "block". It may
// have been a block in other words.
func TestWhatMeansNothingBlocksWhereThatIsAskedFor(t *testing.T) {
	for _, test := range []struct{ name, output, want string }{
		{"no JSON", "hello", "KODE-HOOK-003"},
		{"another agent's form", `{"decision": "block"}`,
			`tool_call_pre has no field \"decision\", which is how answers for Claude Code are written`},
		{"a typing mistake", `{"blok": true}`, `tool_call_pre has no field \"blok\" (did you mean \"block\"?)`},
		{"other letters", `{"Block": true}`, `did you mean \"block\"?`},
	} {
		t.Run(test.name, func(t *testing.T) {
			opts := options(t, kode.Hook{Event: "tool_call_pre", Exec: script(t, "hook", "echo '"+test.output+"'")})
			opts.Overrides = map[string]plugin.Override{"kode:tool_call_pre:hook": {OnFailure: plugin.Block}}
			h, _ := host(opts)
			if got := answer(t, h, "tool_call_pre"); !strings.Contains(got, `"block":true`) ||
				!strings.Contains(got, test.want) {
				t.Errorf("got %s, want a block that says %s", got, test.want)
			}
		})
	}
}

func TestKodesShellIsEveryShell(t *testing.T) {
	dir := t.TempDir()
	opts := options(t, kode.Hook{Event: "tool_call_pre", Exec: script(t, "rewrite", `cat > "$1/pre"
echo '{"replace_tool_input": {"command": "ls -l"}}'`), Args: []string{dir}},
		kode.Hook{Event: "tool_call_post", Exec: script(t, "log", `cat > "$1/post"`), Args: []string{dir}})
	opts.TrustTools = true
	h, notices := host(opts)
	call := hookpoints.PreToolPayload{ToolName: "run", Category: "shell", Subject: "line",
		Arguments: json.RawMessage(`{"line":"ls"}`)}
	answer, err := plugin.Fire(t.Context(), h, hookpoints.PreTool, call)
	if want := `{"line":"ls -l"}`; err != nil || string(answer.Arguments) != want || len(*notices) > 0 {
		t.Errorf("%s, %v, %q", answer.Arguments, err, *notices)
	}
	fire(t, h, hookpoints.PreToolOutput, hookpoints.PreToolOutputPayload{ToolName: "run", Category: "shell",
		Subject: "line", Arguments: call.Arguments, Output: "a"})
	for name, want := range map[string]string{
		"pre": `"tool":"shell","input":{"command":"ls"},"auto_approve":true`, "post": `"tool":"shell","exit_code":0`} {
		seen, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(seen), want) {
			t.Errorf("%s: %s lacks %s", name, seen, want)
		}
	}
}
