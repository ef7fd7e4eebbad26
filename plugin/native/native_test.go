package native_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/systest"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools"
	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) { os.Exit(systest.Processes{M: m}.Run()) }

// pluginDir is a plugins directory that a test fills.
type pluginDir struct {
	t   *testing.T
	dir string
}

func newPluginDir(t *testing.T) pluginDir { return pluginDir{t, t.TempDir()} }

// file writes a file of the directory.
func (f pluginDir) file(name, content string, mode os.FileMode) pluginDir {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		f.t.Fatal(err)
	}
	return f
}

// plugin writes an executable sh plugin with a schema and a body that runs for
// hooks and tool calls.
func (f pluginDir) plugin(name, schema, body string) pluginDir {
	f.t.Helper()
	return f.file(name, "#!/bin/sh\nif [ \"$1\" = --schema ]; then cat <<'EOS'\n"+schema+
		"\nEOS\nexit; fi\n"+body+"\n", 0o755)
}

func (f pluginDir) link(name, target string) pluginDir {
	f.t.Helper()
	if err := os.Symlink(target, filepath.Join(f.dir, name)); err != nil {
		f.t.Fatal(err)
	}
	return f
}

func (f pluginDir) load(opts native.Options) plugin.Loaded {
	f.t.Helper()
	opts.Dir = f.dir
	if opts.ProbeTimeout == 0 {
		opts.ProbeTimeout = time.Hour // how long it may take is no part of most tests
	}
	loaded, err := native.Load(f.t.Context(), opts)
	if err != nil {
		f.t.Fatal(err)
	}
	return loaded
}

func names(loaded plugin.Loaded) []string {
	var list []string
	for _, p := range loaded.Plugins {
		list = append(list, p.Name)
	}
	return list
}

func TestPluginsComeInTheOrderOfTheirFileNames(t *testing.T) {
	f := newPluginDir(t).
		plugin("20-b", `{"name":"b"}`, "").
		plugin("10-c", `{"name":"c"}`, "").
		plugin("Z", `{"name":"z"}`, "").
		plugin("folder/folder", `{"name":"in_folder"}`, "").
		plugin(".hidden", `{"name":"hidden"}`, "").
		plugin("off.disabled", `{"name":"off"}`, "")
	if diff := cmp.Diff([]string{"10-c", "20-b", "Z", "folder"}, names(f.load(native.Options{}))); diff != "" {
		t.Errorf("plugins (-want +got):\n%s", diff)
	}
}

func TestWhatIsLeftOutSaysWhy(t *testing.T) {
	outside := newPluginDir(t).plugin("tool", `{"name":"outside"}`, "")
	for _, test := range []struct {
		name   string
		make   func(f pluginDir)
		reason string
		meant  bool
	}{
		{
			"a script without execute bit", func(f pluginDir) { f.file("p", "#!/bin/sh\n", 0o644) },
			"not executable; to use it, run: chmod +x DIR/p", true,
		},
		{"a text file", func(f pluginDir) { f.file("p", "hello", 0o644) },
			"not executable; to use it, run: chmod +x DIR/p", false},
		{"a directory without executable", func(f pluginDir) { f.file("p/other", "", 0o755) },
			"a directory without an executable p/p in it", false},
		{"a cyclic link", func(f pluginDir) { f.link("p", "p") },
			"it is a link whose target does not exist or that leads to itself", true},
		{
			"a link to the outside", func(f pluginDir) { f.link("p", filepath.Join(outside.dir, "tool")) },
			"it is a link to " + filepath.Join(outside.dir, "tool") +
				", outside the plugins directory; to allow that, add the target to allow_links under [plugins] in config.toml",
			true,
		},
		{
			"a script without #!", func(f pluginDir) { f.file("p", "echo '{}'\n", 0o755) },
			`--schema: could not be started: it has no "#!" line and is not a program; begin it with #!/bin/sh or another ` +
				`interpreter`, true,
		},
		{"a name with a space", func(f pluginDir) { f.plugin("p", `{"name":"a b"}`, "") },
			`--schema: the name "a b" is not a valid tool name; use 1 to 64 letters, digits, - and _`, true},
		{"a reserved name", func(f pluginDir) { f.plugin("p", `{"name":"recurse"}`, "") },
			`chibi has a tool "recurse" built in, which is used instead; remove the plugin, disable it ` +
				"(chibi plugin disable p), or rename its tool", true},
		{"an exit status", func(f pluginDir) { f.file("p", "#!/bin/sh\necho oh no >&2\nexit 4\n", 0o755) },
			`--schema: exit status 4 (oh no)`, true},
		{"a log line before the JSON", func(f pluginDir) {
			f.file("p", "#!/bin/sh\necho hello\necho '{\"name\":\"p\"}'\n",
				0o755)
		}, `--schema did not print JSON; it begins "hello"`, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newPluginDir(t)
			test.make(f)
			loaded := f.load(native.Options{Reserved: []string{"recurse"}})
			if len(loaded.Skipped) != 1 {
				t.Fatalf("skipped = %+v, plugins = %v", loaded.Skipped, names(loaded))
			}
			got := loaded.Skipped[0]
			if reason := strings.ReplaceAll(got.Reason, f.dir, "DIR"); reason != test.reason {
				t.Errorf("reason = %s\nwant     %s", reason, test.reason)
			}
			if got.Reportable != test.meant {
				t.Errorf("meant = %v, want %v", got.Reportable, test.meant)
			}
		})
	}
}

func TestAllThatHasHooksMustBePure(t *testing.T) {
	for schemas, want := range map[string]bool{
		`{"name":"p","hooks":["pre_tool"],"pure":true}`:                                                    true,
		`{"name":"p","hooks":["pre_tool"]}`:                                                                false,
		`{"name":"p","pure":true}`:                                                                         false,
		`[{"name":"p","hooks":["pre_tool"],"pure":true},{"name":"q"}]`:                                     true,
		`[{"name":"p","hooks":["pre_tool"],"pure":true},{"name":"q","hooks":["on_end"]}]`:                  false,
		`[{"name":"p","hooks":["pre_tool"],"pure":true},{"name":"q","hooks":["pre_message"],"pure":true}]`: true,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "p"), []byte("#!/bin/sh\necho '"+schemas+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		loaded, err := native.Load(t.Context(), native.Options{Dir: dir})
		if err != nil || len(loaded.Plugins) != 1 || loaded.Plugins[0].Pure != want {
			t.Errorf("%s: %+v, %v; want pure: %v", schemas, loaded, err, want)
		}
	}
}

func TestALinkToAnAllowedTargetIsAPlugin(t *testing.T) {
	outside := newPluginDir(t).plugin("tool", `{"name":"outside"}`, "")
	f := newPluginDir(t).link("p", filepath.Join(outside.dir, "tool"))
	if got := names(f.load(native.Options{AllowLinks: []string{outside.dir}})); !cmp.Equal(got, []string{"p"}) {
		t.Errorf("plugins = %v", got)
	}
}

func TestADuplicateToolNameBelongsToTheFirst(t *testing.T) {
	f := newPluginDir(t).plugin("a", `{"name":"x"}`, "").plugin("b", `[{"name":"x"},{"name":"y"}]`, "")
	loaded := f.load(native.Options{})
	if len(loaded.Plugins) != 2 || len(loaded.Plugins[1].Tools) != 1 {
		t.Fatalf("plugins = %+v", loaded.Plugins)
	}
	want := `plugin "b": plugin "a" comes first and also has a tool "x", which is used instead`
	if len(loaded.Notices) != 1 || loaded.Notices[0].String() != want {
		t.Errorf("notices = %v, want %s", loaded.Notices, want)
	}
	taken := []plugin.TakenTool{{Tool: "x", By: "a", From: "b"}}
	if diff := cmp.Diff(taken, loaded.Taken); diff != "" || loaded.Plugins[1].LostTools != 1 {
		t.Errorf("%d lost (-want +got):\n%s", loaded.Plugins[1].LostTools, diff)
	}
}

func TestAPluginThatIsLeftOutKeepsNoNames(t *testing.T) {
	f := newPluginDir(t).plugin("a", `[{"name":"x"},{"name":"recurse"}]`, "").plugin("b", `{"name":"x"}`, "")
	loaded := f.load(native.Options{Reserved: []string{"recurse"},
		Overrides: map[string]plugin.Override{"a": {OnFailure: plugin.Block}}})
	if got := names(loaded); !cmp.Equal(got, []string{"b"}) || len(loaded.Skipped) != 1 {
		t.Errorf("plugins = %v, left out: %v", got, loaded.Skipped)
	}
}

func TestAFileElsewhereIsLoadedAsIfItWereInTheDirectory(t *testing.T) {
	f := newPluginDir(t).plugin("b", `{"name":"x"}`, "").plugin("c", `{"name":"old"}`, "").
		plugin("d.disabled", `{"name":"d"}`, "")
	other := newPluginDir(t).plugin("a", `{"name":"x"}`, "").plugin("c", `{"name":"new"}`, "").
		plugin("tool/tool", `{"name":"y"}`, "").plugin(".dot", `{"name":"dot"}`, "")
	loaded := f.load(native.Options{
		Overrides: map[string]plugin.Override{"c": {Disabled: true}},
		Placed: map[string]string{
			"a": filepath.Join(other.dir, "a"), "c": filepath.Join(other.dir, "c"), "d": filepath.Join(f.dir, "d.disabled"),
			"tool": filepath.Join(other.dir, "tool"), ".dot": filepath.Join(other.dir, ".dot"),
		},
	})
	if diff := cmp.Diff([]string{"a", "c", "d", "tool"}, names(loaded)); diff != "" {
		t.Fatalf("plugins (-want +got):\n%s", diff)
	}
	if name := loaded.Plugins[1].Tools[0].Spec().Name; name != "new" {
		t.Errorf("c has the tool %s", name)
	}
	if len(loaded.Taken) != 1 || loaded.Taken[0] != (plugin.TakenTool{Tool: "x", By: "a", From: "b"}) {
		t.Errorf("taken: %v", loaded.Taken)
	}
}

func TestASchemaThatHangsLeavesTheOthers(t *testing.T) {
	t.Parallel()
	f := newPluginDir(t).file("hangs", "#!/bin/sh\nexec sleep 600\n", 0o755).plugin("works", `{"name":"works"}`, "")
	loaded := f.load(native.Options{ProbeTimeout: 300 * time.Millisecond})
	if got := names(loaded); len(got) > 1 || len(loaded.Skipped) < 1 ||
		!strings.Contains(loaded.Skipped[0].Reason, "no answer after 300ms") {
		t.Errorf("plugins = %v, skipped = %+v", got, loaded.Skipped)
	}
}

func TestTwoHundredPlugins(t *testing.T) {
	f := newPluginDir(t)
	for i := range 200 {
		name := fmt.Sprintf("p%03d", i)
		f.plugin(name, `{"name":"`+name+`","hooks":["pre_message"]}`, `printf '{}'`)
	}
	loaded := f.load(native.Options{})
	if len(loaded.Plugins) != 200 || loaded.Plugins[199].Name != "p199" {
		t.Errorf("%d plugins; skipped %+v", len(loaded.Plugins), loaded.Skipped)
	}
}

func TestAHookFindsItsPayloadOnStdinAndInTheEnvironment(t *testing.T) {
	t.Setenv("CHIBI_TOOL_ARGS", "of an outer run")
	f := newPluginDir(t).plugin("p", `{"name":"p","hooks":["pre_message"]}`, `
read -r line
[ "$line" = "$CHIBI_HOOK_DATA" ] || exit 1
[ -z "$CHIBI_TOOL_ARGS" ] || exit 2
printf '{"prompt":"%s %s %s"}' "$CHIBI_HOOK" "$CHIBI_CONTEXT" "$CHIBI_HOME"`)
	loaded := f.load(native.Options{Home: "/h", Context: "work"})
	got := firePrompt(t, loaded, "<a> & b")
	if want := "pre_message work /h"; got != want {
		t.Errorf("prompt = %q, want %q", got, want)
	}
}

func firePrompt(t *testing.T, loaded plugin.Loaded, prompt string) string {
	t.Helper()
	host := &plugin.Host{Plugins: loaded.Plugins, Notify: func(n plugin.Notice) { t.Error(n) }}
	answer, err := plugin.Fire(t.Context(), host, hookpoints.PreMessage,
		hookpoints.PreMessagePayload{Prompt: prompt, ContextName: "c"})
	if err != nil || answer.Prompt == nil {
		t.Fatalf("answer = %+v, %v", answer, err)
	}
	return *answer.Prompt
}

func TestHookAnswers(t *testing.T) {
	for _, test := range []struct{ name, body, notice string }{
		{"silence", ``, ""},
		{"an empty object", `echo '{}'`, ""},
		{"a text", `echo hello`, `its answer is not JSON; it begins "hello"; ignored`},
		{"a log line before the JSON", `echo starting; echo '{"block":true}'`,
			`its answer is not JSON; it begins "starting"; an answer follows that text: print what is not the answer to ` +
				`standard error; ignored`},
		{"an array", `echo '[1]'`, `its answer is an array, not an object; ignored`},
		{"not UTF-8", `printf '{"message":"\377"}'`, `its answer is not UTF-8; ignored`},
		{"an exit status", `echo broken >&2; exit 3`, `exit status 3 (broken); went on without it`},
		{"a signal", `kill -SEGV $$`, `ended by signal: segmentation fault; went on without it`},
		{"no end", `exec sleep 600`, `no answer after 300ms; went on without it`},
		{"a flood", `exec head -c 1073741824 /dev/zero`, `ended after 8.0 MiB of output, the limit; went on without it`},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newPluginDir(t).plugin("p", `{"name":"p","hooks":["pre_tool"]}`, test.body)
			opts := native.Options{HookTimeout: time.Minute}
			if test.name == "no end" {
				opts.HookTimeout = 300 * time.Millisecond
			}
			var notices []string
			host := &plugin.Host{Plugins: f.load(opts).Plugins,
				Notify: func(n plugin.Notice) { notices = append(notices, n.Text) }}
			answer, err := plugin.Fire(t.Context(), host, hookpoints.PreTool,
				hookpoints.PreToolPayload{Arguments: json.RawMessage(`{}`)})
			if err != nil || answer.Block {
				t.Errorf("answer = %+v, %v", answer, err)
			}
			if got := strings.Join(notices, "; "); got != test.notice {
				t.Errorf("notice = %s\nwant     %s", got, test.notice)
			}
		})
	}
}

func TestAToolCall(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"its output is the result", `read -r line; printf '%s|%s|%s' "$CHIBI_TOOL_NAME" "$line" "$CHIBI_TOOL_ARGS"`,
			`p|{"a":1}|{"a":1}`},
		{"a failure tells the model everything", `echo one; echo why >&2; exit 2`,
			"Error: exit status 2 (why)\nstdout before that:\none\n"},
		{"bytes that are no text are replaced", `printf 'a\377b'`, "a\uFFFDb"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newPluginDir(t).plugin("p", `{"name":"p"}`, test.body)
			tool := f.load(native.Options{}).Plugins[0].Tools[0]
			got, err := tool.Call(context.Background(), tools.Call{Arguments: json.RawMessage(`{"a":1}`)})
			if err != nil || got.Told() != test.want {
				t.Errorf("result = %q, %v; want %q", got.Told(), err, test.want)
			}
		})
	}
}

// TestAPartOfAGuardIsNoGuard: where the person says that a plugin's failure blocks,
// one of its tools that cannot be used leaves all of it out, so that it is missed.
func TestAPartOfAGuardIsNoGuard(t *testing.T) {
	f := newPluginDir(t).plugin("guard", `[{"name":"a"},{"description":"no name","hooks":["pre_tool"]}]`, "")
	if loaded := f.load(native.Options{}); len(loaded.Plugins) != 1 {
		t.Errorf("an ordinary plugin: %+v", loaded)
	}
	loaded := f.load(native.Options{Overrides: map[string]plugin.Override{"guard": {OnFailure: plugin.Block}}})
	if len(loaded.Plugins) != 0 || len(loaded.Skipped) != 1 ||
		!strings.Contains(loaded.Skipped[0].Reason, `element 2 of its --schema is skipped: it has no "name"`) {
		t.Errorf("a guard: %+v", loaded)
	}
}

func TestOverridesBeatTheSchema(t *testing.T) {
	f := newPluginDir(t).plugin("a", `{"name":"a","hooks":["pre_tool"],"on_failure":"block"}`,
		"").plugin("b", `{"name":"b"}`, "")
	loaded := f.load(native.Options{Overrides: map[string]plugin.Override{
		"a": {OnFailure: plugin.Ignore}, "b": {Disabled: true},
	}})
	if len(loaded.Plugins) != 1 || loaded.Plugins[0].OnFailure != plugin.Ignore {
		t.Errorf("plugins = %+v", loaded.Plugins)
	}
}

func TestAToolThatPrintsMoreThanTheLimitIsEndedAndWhatItPrintedIsKept(t *testing.T) {
	const limit = 80 << 20
	for _, test := range []struct {
		name, body, failure string
		size                int64
	}{
		{"it prints without end", `exec yes`, "Error: ended after 80 MiB of output, the limit", limit},
		{"it fails", `head -c 3145728 /dev/zero; echo boom >&2; exit 3`, "Error: exit status 3 (boom)", 3 << 20},
		{"it takes too long", `head -c 3145728 /dev/zero; exec sleep 600`, "Error: no answer after 5s", 3 << 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newPluginDir(t).plugin("p", `{"name":"p"}`, test.body)
			spool := func() (process.Spool, error) { return os.Create(filepath.Join(t.TempDir(), "out")) }
			opts := native.Options{Spool: spool, MaxToolOutput: limit, ToolTimeout: time.Hour}
			if test.name == "it takes too long" {
				opts.ToolTimeout = 5 * time.Second
			}
			tool := f.load(opts).Plugins[0].Tools[0]
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := tool.Call(t.Context(), tools.Call{Arguments: json.RawMessage(`{}`)})
			runtime.ReadMemStats(&after)
			if err != nil || !got.Failed || got.Failure != test.failure || got.File.Size() != test.size {
				t.Errorf("failed = %v, failure = %q, %d bytes, %v", got.Failed, got.Failure, got.File.Size(), err)
			}
			if info, err := os.Stat(got.File.Path()); err != nil || info.Size() != test.size {
				t.Errorf("the file: %v, %v", info, err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
				t.Errorf("allocated %d bytes", used)
			}
		})
	}
}

func TestAToolThatFailsWithAQuestionNamesTheKeyThatLetsItAsk(t *testing.T) {
	const hint = `; it seems to ask the person: stdin = "inherit" in [plugins."p"] of the configuration lets it read ` +
		`the answer`
	for _, test := range []struct {
		name, schema, body string
		hint               bool
	}{
		{"a question mark", `{"name":"p"}`, `echo "Really delete it?" >&2; exit 1`, true},
		{"yes or no", `{"name":"p"}`, `printf "Delete 3 files [y/N]: " >&2; exit 1`, true},
		{"yes or no in words", `{"name":"p"}`, `printf "Go on (Yes/No) > " >&2; exit 1`, true},
		{"no question", `{"name":"p"}`, `echo "no such file" >&2; exit 1`, false},
		{"a question and then the error", `{"name":"p"}`, `echo "Really? " >&2; echo "no answer" >&2; exit 1`, false},
		{"a question and no failure", `{"name":"p"}`, `echo "Really? " >&2`, false},
		{"it can ask already", `{"name":"p","stdin":"inherit"}`, `echo "Really? " >&2; exit 1`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			loaded := newPluginDir(t).plugin("p", test.schema, test.body).load(native.Options{})
			got, err := loaded.Plugins[0].Tools[0].Call(t.Context(), tools.Call{Arguments: json.RawMessage(`{}`)})
			if err != nil || strings.Contains(got.Told(), hint) != test.hint {
				t.Errorf("result = %q, %v", got.Told(), err)
			}
		})
	}
}
