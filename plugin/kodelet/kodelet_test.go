package kodelet_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/schemas"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/kodelet"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"github.com/chibi-host/chibi/plugin/plugintest"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/google/go-cmp/cmp"
)

// hook is a script for an event.
func hook(event, body string) string {
	return "#!/bin/sh\n[ \"$1\" = hook ] && { echo " + event + "; exit; }\n[ \"$1\" = run ] || exit 1\n" + body + "\n"
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// options are those of a test: nothing but a slow machine is too slow.
func options(dirs ...string) kodelet.Options {
	opts := kodelet.Options{QueryTimeout: time.Minute, HookTimeout: time.Minute, Conversation: "work", Dir: "/project",
		AutoCompact: true, Threshold: 0.8, Runner: process.Runner{Grace: 100 * time.Millisecond}}
	for i, path := range dirs {
		opts.Dirs = append(opts.Dirs, kodelet.Dir{Path: path, Prefix: fmt.Sprintf("%d:", i)})
	}
	return opts
}

func load(t *testing.T, opts kodelet.Options) plugin.Loaded {
	t.Helper()
	loaded, err := kodelet.Load(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// one loads a directory that has a single hook.
func one(t *testing.T, script string) plugin.Plugin {
	t.Helper()
	dir := t.TempDir()
	write(t, dir+"/h", script, 0o755)
	loaded := load(t, options(dir))
	if len(loaded.Plugins) != 1 {
		t.Fatalf("left out: %+v", loaded.Skipped)
	}
	return loaded.Plugins[0]
}

func TestConformance(t *testing.T) {
	loadHook := func(t *testing.T, name, script string, timeout time.Duration) plugin.Plugin {
		dir := t.TempDir()
		write(t, filepath.Join(dir, name), script, 0o755)
		opts := options(dir)
		opts.HookTimeout = timeout
		loaded := load(t, opts)
		if len(loaded.Plugins) != 1 {
			t.Fatalf("left out: %+v", loaded.Skipped)
		}
		return loaded.Plugins[0]
	}
	plugintest.Run(t, plugintest.Protocol{
		New: func(t *testing.T, name, body string, timeout time.Duration) plugin.Plugin {
			return loadHook(t, name, hook("before_tool_call", body), timeout)
		},
		Gather: &plugintest.Point{Info: hookpoints.PreStop.Info(), Payload: `{"response":"r"}`,
			New: func(t *testing.T, name, body string) plugin.Plugin {
				return loadHook(t, name, hook("agent_stop", body), time.Minute)
			},
			Answer: func(text string) string { return fmt.Sprintf(`{"follow_up_messages":[%q]}`, text) },
		},
		Block: func(message string) string {
			quoted, _ := json.Marshal(message)
			return fmt.Sprintf(`{"blocked":true,"reason":%s}`, quoted)
		},
		Rewrite: func(arguments string) string { return fmt.Sprintf(`{"blocked":false,"input":%s}`, arguments) },
	})
}

// describe lists what was loaded and left out.
func describe(loaded plugin.Loaded) (lines []string) {
	for _, p := range loaded.Plugins {
		lines = append(lines, fmt.Sprintf("%s: %s as %s", p.Name, p.Events[p.Hooks[0]], p.Hooks[0]))
	}
	for _, s := range loaded.Skipped {
		lines = append(lines, fmt.Sprintf("%s left out: %s", s.Name, s.Reason))
	}
	return lines
}

func TestDiscovery(t *testing.T) {
	project, own := t.TempDir(), t.TempDir()
	audit := hook("after_tool_call", "")
	write(t, project+"/10", hook("agent_stop", ""), 0o755)
	write(t, project+"/9", hook("turn_end", ""), 0o755)
	write(t, project+"/.hidden", hook("after_turn", ""), 0o755)
	write(t, project+"/both", hook("before_tool_call", ""), 0o755)
	write(t, project+"/broken", hook("tool_call", ""), 0o755)
	write(t, project+"/crash", "#!/bin/sh\necho no >&2\nexit 3\n", 0o755)
	write(t, project+"/two", "#!/bin/sh\necho agent_stop; echo turn_end\n", 0o755)
	write(t, project+"/off.disable", audit, 0o755)
	write(t, project+"/README", "read me", 0o644)
	write(t, project+"/folder/x", audit, 0o755)
	write(t, own+"/both", audit, 0o755)
	write(t, own+"/broken", hook("user_message_send", ""), 0o755)
	write(t, own+"/link-target/real", audit, 0o755)
	if err := errors.Join(os.Symlink("link-target/real", own+"/link"), os.Symlink("nowhere", own+"/dead"),
		os.Symlink("link-target", own+"/dir")); err != nil {
		t.Fatal(err)
	}
	all := "want one of before_tool_call, after_tool_call, user_message_send, turn_end, after_turn, agent_stop"
	want := []string{
		"0:.hidden: after_turn as post_turn", "0:10: agent_stop as pre_stop", "0:9: turn_end as post_turn",
		"0:both: before_tool_call as pre_tool",
		"1:broken: user_message_send as pre_message", "1:link: after_tool_call as pre_tool_output",
		"0:README left out: not executable; to use it, run: chmod +x " + project + "/README",
		"0:folder left out: a directory, not a program",
		"0:off.disable left out: disabled by its name; to enable it, remove .disable",
		`0:broken left out: asked ` + "`hook`" + ` for its event, it answered "tool_call"; ` + all,
		"0:crash left out: asked `hook` for its event: exit status 3 (no)",
		`0:two left out: asked ` + "`hook`" + ` for its event, it answered "agent_stop\nturn_end"; ` + all,
		"1:dead left out: it is a link whose target does not exist or that leads to itself",
		"1:dir left out: a directory, not a program",
		"1:link-target left out: a directory, not a program",
		"1:both left out: " + project + "/both has the same name and comes first",
	}
	if diff := cmp.Diff(want, describe(load(t, options(project, own, own+"/missing")))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestADirectoryThatCannotBeReadConcernsNoOther(t *testing.T) {
	project, own := t.TempDir()+"/hooks", t.TempDir()
	write(t, project, "a file", 0o644)
	write(t, own+"/guard", hook("before_tool_call", ""), 0o755)
	loaded := load(t, options(project, own))
	if len(loaded.Plugins) != 1 || len(loaded.Skipped) != 1 || !loaded.Skipped[0].Reportable {
		t.Errorf("loaded %q", describe(loaded))
	}
}

func TestWhatWasNotApprovedNeitherRunsNorHidesOthers(t *testing.T) {
	project, own := t.TempDir(), t.TempDir()
	ran := t.TempDir() + "/ran"
	write(t, project+"/guard", "#!/bin/sh\ntouch "+ran+"\n", 0o755)
	write(t, own+"/guard", hook("before_tool_call", ""), 0o755)
	opts := options(project, own)
	opts.Dirs[0].Look = func() func(string) error { return func(string) error { return kodelet.ErrUntrusted } }
	loaded := load(t, opts)
	if diff := cmp.Diff([]string{"1:guard: before_tool_call as pre_tool", "0:guard left out: not approved"},
		describe(loaded)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !loaded.Skipped[0].Untrusted {
		t.Error("it is not said to be untrusted")
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the file was run")
	}
}

func TestAHookThatChangesAfterItWasLoadedDoesNotRun(t *testing.T) {
	project := t.TempDir()
	write(t, project+"/h", hook("before_tool_call", `echo '{"blocked":true}'`), 0o755)
	opts := options(project)
	var trusted error
	opts.Dirs[0].Look = func() func(string) error { return func(string) error { return trusted } }
	loaded := load(t, opts)
	trusted = fmt.Errorf("%w: its content has changed", kodelet.ErrUntrusted)
	var notices []string
	h := &plugin.Host{Plugins: loaded.Plugins, Notify: func(n plugin.Notice) { notices = append(notices, n.String()) }}
	verdict, err := plugin.Fire(t.Context(), h, hookpoints.PreTool,
		hookpoints.PreToolPayload{Arguments: json.RawMessage("{}")})
	if err != nil || verdict.Block {
		t.Errorf("verdict %+v, %v", verdict, err)
	}
	want := []string{`plugin "0:h" at before_tool_call: not approved: its content has changed; went on without it`}
	if diff := cmp.Diff(want, notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
}

// TestAnswersAreRemembered: with a memory, a hook is asked for its event once, until its
// file changes in any way.
func TestAnswersAreRemembered(t *testing.T) {
	dir := t.TempDir()
	path, count := dir+"/hooks/h", dir+"/count"
	script := func(event string) string {
		return "#!/bin/sh\n[ \"$1\" = hook ] && { echo x >> " + count + "; echo " + event + "; }\n"
	}
	write(t, path, script("turn_end"), 0o755)
	opts := options(dir + "/hooks")
	later := func() time.Time { return time.Now().Add(time.Hour) } // the files have not just changed
	asked := func() int {
		data, _ := os.ReadFile(count)
		return strings.Count(string(data), "x")
	}
	for _, step := range []struct {
		name   string
		do     func()
		want   int
		loaded bool
	}{
		{"first", func() {}, 1, true},
		{"again", func() {}, 1, true},
		{"another mode", func() { os.Chmod(path, 0o700) }, 2, true},
		{"another time", func() { os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)) }, 3, true},
		{"another content of the same size and time", func() {
			write(t, path, script("turn_enD"), 0o700)
			os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0))
		}, 4, false},
		{"a failure is remembered too", func() {}, 4, false},
		{"right again", func() { write(t, path, script("turn_end"), 0o700) }, 5, true},
	} {
		step.do()
		memory := schemas.Open(dir, schemas.Options{Now: later})
		opts.Prober = oneshot.NewProber(memory, 0)
		loaded := load(t, opts)
		if err := memory.Save(""); err != nil {
			t.Fatal(err)
		}
		if got := asked(); got != step.want || len(loaded.Plugins) == 1 != step.loaded {
			t.Errorf("%s: asked %d times so far, want %d; %q", step.name, got, step.want, describe(loaded))
		}
	}
}

func TestAHookThatHangsWhenAskedIsLeftOut(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/h", "#!/bin/sh\nsleep 600 &\nsleep 600\n", 0o755)
	opts := options(dir)
	opts.QueryTimeout = 200 * time.Millisecond
	loaded := load(t, opts)
	if len(loaded.Skipped) != 1 || !strings.Contains(loaded.Skipped[0].Reason,
		"asked `hook` for its event: no answer after 200ms") {
		t.Errorf("loaded %q", describe(loaded))
	}
}

func TestTheEndOfTheContextIsAnError(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/h", "#!/bin/sh\nexec sleep 600\n", 0o755)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := kodelet.Load(ctx, options(dir)); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
}

func TestOverrides(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/guard", hook("before_tool_call", "exec sleep 600"), 0o755)
	write(t, dir+"/off", hook("before_tool_call", ""), 0o755)
	opts := options(dir)
	opts.Overrides = map[string]plugin.Override{"0:guard": {Timeout: 200 * time.Millisecond, OnFailure: plugin.Block},
		"0:off": {Disabled: true}}
	loaded := load(t, opts)
	verdict, err := plugin.Fire(t.Context(), &plugin.Host{Plugins: loaded.Plugins}, hookpoints.PreTool,
		hookpoints.PreToolPayload{Arguments: json.RawMessage("{}")})
	if err != nil || !verdict.Block {
		t.Errorf("verdict %+v, %v", verdict, err)
	}
	if len(loaded.Skipped) != 1 || !strings.Contains(loaded.Skipped[0].Reason, `enabled = false in [plugins."0:off"]`) {
		t.Errorf("left out: %+v", loaded.Skipped)
	}
}

// TestAHookThatChangesDoesNotDisableThePersonsOwn: while the project's hook is as
// it was approved, it takes the place of the person's own of the same name.
func TestAHookThatChangesDoesNotDisableThePersonsOwn(t *testing.T) {
	project, own := t.TempDir(), t.TempDir()
	write(t, project+"/guard", hook("user_message_send", ""), 0o755)
	write(t, own+"/guard", hook("before_tool_call", `echo '{"blocked":true,"reason":"my own"}'`), 0o755)
	opts := options(project, own)
	var trusted error
	opts.Dirs[0].Look = func() func(string) error { return func(string) error { return trusted } }
	loaded := load(t, opts)
	var results []string
	h := &plugin.Host{Plugins: loaded.Plugins, Trace: func(r plugin.Record) {
		results = append(results, r.Plugin+" "+
			string(r.Result)+" "+r.Why)
	}}
	ask := func() hookpoints.PreToolAnswer {
		verdict, err := plugin.Fire(t.Context(), h, hookpoints.PreTool,
			hookpoints.PreToolPayload{Arguments: json.RawMessage("{}")})
		if err != nil {
			t.Fatal(err)
		}
		return verdict
	}
	if v := ask(); v.Block {
		t.Errorf("the person's own acted beside the project's: %+v", v)
	}
	trusted = kodelet.ErrUntrusted
	if v := ask(); v.Message != "my own" {
		t.Errorf("the person's own did not act: %+v", v)
	}
	trusted = nil
	if v := ask(); v.Message != "my own" {
		t.Errorf("changed back, the project's silenced the person's own: %+v", v)
	}
	want := []string{"1:guard skipped " + project + "/guard has the same name and comes first", "1:guard blocked my own",
		"1:guard blocked my own"}
	if diff := cmp.Diff(want, results); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// TestAHookOfTheProjectDoesNotTakeTheGuardsPlace: nothing may go on without a hook
// whose failure blocks, as the person said.
func TestAHookOfTheProjectDoesNotTakeTheGuardsPlace(t *testing.T) {
	project, own := t.TempDir(), t.TempDir()
	write(t, project+"/guard", hook("before_tool_call", ""), 0o755)
	write(t, own+"/guard", hook("before_tool_call", `echo '{"blocked":true,"reason":"my own"}'`), 0o755)
	opts := options(project, own)
	opts.Overrides = map[string]plugin.Override{"1:guard": {OnFailure: plugin.Block}}
	h := &plugin.Host{Plugins: load(t, opts).Plugins}
	verdict, err := plugin.Fire(t.Context(), h, hookpoints.PreTool,
		hookpoints.PreToolPayload{Arguments: json.RawMessage("{}")})
	if err != nil || verdict.Message != "my own" {
		t.Errorf("verdict %+v, %v; want the block of the person's own", verdict, err)
	}
}

func TestHooksOfPlugins(t *testing.T) {
	root := t.TempDir()
	guard := hook("before_tool_call", "")
	for _, path := range []string{"hooks/guard", "plugins/a@b@c/hooks/guard", "plugins/plain/hooks/guard",
		"plugins/.git/hooks/guard", "plugins/none@here/skills/guard", "plugins/file"} {
		write(t, filepath.Join(root, ".kodelet", path), guard, 0o755)
	}
	if err := os.Symlink("plain", root+"/.kodelet/plugins/to@plain"); err != nil {
		t.Fatal(err)
	}
	opts := options()
	opts.Dirs = kodelet.HookDirs(root)
	want := []string{
		"guard: before_tool_call as pre_tool", "a/b@c/guard: before_tool_call as pre_tool",
		"plain/guard: before_tool_call as pre_tool",
		"to/plain/hooks left out: " + root + "/.kodelet/plugins/to@plain is a link, and plugins are not looked for behind " +
			"links; put the directory there instead",
	}
	if diff := cmp.Diff(want, describe(load(t, opts))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := os.RemoveAll(root + "/.kodelet/plugins"); err != nil {
		t.Fatal(err)
	}
	write(t, root+"/.kodelet/plugins", "a file", 0o644)
	opts.Dirs = kodelet.HookDirs(root)
	if loaded := load(t, opts); len(loaded.Plugins) != 1 || len(loaded.Skipped) != 1 || !loaded.Skipped[0].Reportable {
		t.Errorf("a file in the place of the plugins: %q", describe(loaded))
	}
}

func TestFindHook(t *testing.T) {
	for path, want := range map[string][2]string{
		".kodelet/hooks/guard":                     {"guard", ".kodelet/hooks"},
		".kodelet/hooks/lib/guard":                 {"", ".kodelet/hooks"},
		".kodelet/plugins/acme@tools/hooks/guard":  {"acme/tools/guard", ".kodelet/plugins/acme@tools/hooks"},
		".kodelet/plugins/acme@tools/hooks/lib/x":  {"", ".kodelet/plugins/acme@tools/hooks"},
		".kodelet/plugins/acme@tools/recipes/x.md": {"", ""},
		".kodelet/plugins/acme@tools":              {"", ""},
		".kodelet/recipes/x.md":                    {"", ""},
		"recipes/x.md":                             {"", ""},
	} {
		if name, dir := kodelet.FindHook(path); name != want[0] || dir != want[1] {
			t.Errorf("%s is %q in %q, want %q", path, name, dir, want)
		}
	}
}
