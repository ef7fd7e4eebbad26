package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/google/go-cmp/cmp"
)

// home writes files of a home folder.
func home(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// localOf reads the local.toml of a context of a home.
func localOf(t *testing.T, dir, name string) config.Local {
	t.Helper()
	path := contexts.Layout{Home: dir}.LocalConfig(name)
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return config.Local{Name: path, Text: string(text)}
}

func load(t *testing.T, files map[string]string, set ...string) (config.Config, error) {
	t.Helper()
	dir := home(t, files)
	return config.Load(config.Sources{
		Home: dir, Local: localOf(t, dir, "work"), Set: set,
		Env: func(name string) string { return map[string]string{"OPENROUTER_API_KEY": "from-env"}[name] },
	})
}

func TestAMistakeNamesFileLineAndKey(t *testing.T) {
	for _, test := range []struct{ name, file, text, want string }{
		{"unknown key", "config.toml", "model = \"m\"\ntempratur = 1\n",
			`config.toml:2: unknown key "tempratur"; did you mean "api.temperature"?`},
		{"unknown key in a table", "config.toml", "[api]\ntopp = 1\n",
			`config.toml:2: unknown key "api.topp"; did you mean "api.top_p"?`},
		{"wrong type", "config.toml", "\n[api]\ntemperature = \"hot\"\n",
			`config.toml:3: api.temperature: want a number, got a string`},
		{"a table of another type", "config.toml", "plugins = 5\n",
			`config.toml:1: plugins: want a table, got a whole number`},
		{"another table", "config.toml", "kode = 5\n", `config.toml:1: kode: want a table, got a whole number`},
		{"syntax", "config.toml", "model = \n", `config.toml:1: `},
		{"local file", "contexts/work/local.toml", "modle = \"m\"\n",
			`local.toml:1: unknown key "modle"; did you mean "model"?`},
		{"no window", "config.toml", "\ncontext_window_limit = 0\n",
			"config.toml:2: context_window_limit is 0; want a number above 0"},
		{"no window of a model", "models.toml", "[models.\"a\"]\ncontext_window = 9\n[models.\"b.c\"]\ncontext_window = -1\n",
			"models.toml:4: models.'b.c'.context_window is -1; want a number above 0"},
		{"models file", "models.toml", "[models.\"m\"]\nwindow = 3\n", `models.toml:2: unknown key "models.m.window"`},
		{"plugin key", "config.toml", "[plugins]\nhook_timeout = 3\n",
			`config.toml:2: unknown key "plugins.hook_timeout"; did you mean "plugins.hook_timeout_ms"?`},
		{"key of one plugin", "config.toml", "[plugins.guard]\nonfailure = \"block\"\n",
			`config.toml:2: unknown key "plugins.guard.onfailure"; did you mean "plugins.guard.on_failure"?`},
		{"a key of Kode's hooks that resembles none of other tables", "config.toml",
			"[[kode.hooks.session_end]]\ncommand = \"x\"\n", `did you mean "kode.hooks.session_end.exec"?`},
		{"bad value", "config.toml", "[plugins.guard]\non_failure = \"deny\"\n",
			`config.toml:2: plugins.guard.on_failure is "deny"; want "ignore" or "block"`},
		{"a key of one hook", "config.toml", "[plugins.guard.hooks.pre_tool]\ntimeout = 3\n",
			`config.toml:2: unknown key "plugins.guard.hooks.pre_tool.timeout"; did you mean "plugins.guard.`},
		{"a hook that does not exist", "config.toml", "[plugins.guard.hooks.pre_tol]\ntimeout_ms = 3\n",
			`config.toml:1: plugins.guard.hooks.pre_tol: there is no hook point "pre_tol" (did you mean "pre_tool"?)`},
		{"a hook without time", "config.toml", "[plugins.guard.hooks.pre_tool]\ntimeout_ms = 0\n",
			`config.toml:2: plugins.guard.hooks.pre_tool.timeout_ms is 0; want a number above 0`},
		{"a bad value of a hook", "config.toml", "[plugins.guard.hooks.pre_tool]\non_failure = \"deny\"\n",
			`config.toml:2: plugins.guard.hooks.pre_tool.on_failure is "deny"; want "ignore" or "block"`},
		{"a block where none is possible", "config.toml", "[plugins.guard.hooks.post_tool]\non_failure = \"block\"\n",
			`on_failure is "block", but nothing can be blocked at post_tool`},
		{"Kode's events", "config.toml", "[[kode.hooks.tool_call_pri]]\nexec = \"x\"\n",
			`unknown key "kode.hooks.tool_call_pri"; did you mean "kode.hooks.tool_call_pre"?`},
		{"a key of Kode's hooks", "config.toml", "[[kode.hooks.session_end]]\nexec = \"x\"\ntimeout = 3\n",
			`config.toml:3: unknown key "kode.hooks.session_end.timeout"; did you mean "kode.hooks.session_end.timeout_ms"?`},
		{"a Kode hook without a program", "config.toml", "[[kode.hooks.session_end]]\ntimeout_ms = 3\n",
			`config.toml:1: entry 1 of kode.hooks.session_end has no exec; write exec = "PROGRAM"`},
		{"a Kode hook without time", "config.toml", "[[kode.hooks.session_end]]\nexec = \"x\"\ntimeout_ms = 0\n",
			`config.toml:3: kode.hooks.session_end.timeout_ms is 0; want a number above 0`},
		{"an empty path", "config.toml", "file_tools_allowed_paths = [\"~/src\", \" \"]\n",
			`config.toml:1: file_tools_allowed_paths has an empty entry, which would be the current directory`},
		{"not above zero", "config.toml", "max_tool_rounds = 0\n",
			`config.toml:1: max_tool_rounds is 0; want a number above 0`},
		{"no percentage", "config.toml", "warn_threshold_percent = 100.5\n",
			`config.toml:1: warn_threshold_percent is 100.5; want a percentage from 0 to 100`},
		{"less than the least", "config.toml", "[trace]\nmax_bytes = 1000\n",
			`config.toml:2: trace.max_bytes is 1000; want 65536 or more`},
		{"bad address", "config.toml", "base_url = \"localhost\"\n",
			`config.toml:1: base_url "localhost" is not an address; begin it with https:// or http://`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := load(t, map[string]string{test.file: test.text})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v\nwant    %s", err, test.want)
			}
		})
	}
}

func TestSetNamesItsKey(t *testing.T) {
	for set, want := range map[string]string{
		"temperature=1":              `--set temperature=1: unknown key "temperature"; did you mean "api.temperature"?`,
		"plugins.qqqqqqqqqqqqqqqq=3": `--set plugins.qqqqqqqqqqqqqqqq=3: unknown key "plugins.qqqqqqqqqqqqqqqq"`, // like none
	} {
		_, err := load(t, nil, set)
		if err == nil || err.Error() != want {
			t.Errorf("error = %v\nwant    %s", err, want)
		}
	}
}

func TestOrder(t *testing.T) {
	files := map[string]string{
		"config.toml": "model = \"a\"\nusername = \"ann\"\ncontext_window_limit = 1\n[api]\ntemperature = " +
			"0.70\nseed = 1\ntop_p = 0.5\n",
		"models.toml":              "[models.\"b\"]\ncontext_window = 2\n[models.\"b\".api]\nseed = 2\ntop_p = 0.6\n",
		"contexts/work/local.toml": "model = \"b\"\n[api]\ntop_p = 0.7\n[tools]\nexclude = [\"x\"]\n",
	}
	c, err := load(t, files, "api.temperature=0.2", "username=bob")
	if err != nil {
		t.Fatal(err)
	}
	got := []any{c.Model, c.Username, c.ContextWindowLimit, c.Tools.Exclude}
	if diff := cmp.Diff([]any{"b", "bob", 2, []string{"x"}}, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	var options []string
	for _, o := range c.API.Options() {
		options = append(options, o.Name+"="+string(o.Value))
	}
	if diff := cmp.Diff([]string{"temperature=0.2", "top_p=0.7", "seed=2"}, options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
}

// TestContextWindowLimit takes one source after the other away.
func TestContextWindowLimit(t *testing.T) {
	files := map[string]string{
		"config.toml":              "model = \"openai/gpt-4\"\ncontext_window_limit = 1\n",
		"models.toml":              "[models.\"openai/gpt-4\"]\ncontext_window = 2\n",
		"contexts/work/local.toml": "context_window_limit = 3\n",
	}
	limit := func(want int, set ...string) {
		t.Helper()
		c, err := load(t, files, set...)
		if err != nil {
			t.Fatal(err)
		}
		shown, _ := c.Value("context_window_limit")
		if c.ContextWindowLimit != want || shown != strconv.Itoa(want) {
			t.Errorf("the limit is %d, shown as %s, want %d", c.ContextWindowLimit, shown, want)
		}
	}
	limit(4, "context_window_limit=4")
	limit(3)
	delete(files, "contexts/work/local.toml")
	limit(2)
	delete(files, "models.toml")
	limit(1)
	files["config.toml"] = "model = \"openai/gpt-4\"\n"
	limit(8192)
	limit(200_000, "model=anthropic/claude-sonnet-4")
	files["config.toml"] = "model = \"mine\"\n"
	limit(128_000)
	delete(files, "config.toml")
	limit(128_000)
}

func TestReasoningIsEffortOrTokens(t *testing.T) {
	c, err := load(t, map[string]string{
		"config.toml":              "[api.reasoning]\neffort = \"high\"\nexclude = true\n",
		"contexts/work/local.toml": "[api.reasoning]\nmax_tokens = 5\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(c.API.Options()[0].Value); got != `{"max_tokens":5,"exclude":true}` {
		t.Errorf("reasoning = %s", got)
	}
}

func TestPluginSettings(t *testing.T) {
	c, err := load(t, map[string]string{
		"config.toml": "[plugins]\nhook_timeout_ms = 5\n[plugins.\"10-guard.py\"]\non_failure = \"block\"\ntimeout_ms = 7\n",
	}, "plugins.log.enabled=false")
	if err != nil {
		t.Fatal(err)
	}
	want := config.Plugins{
		ProbeTimeoutMS: 5000, HookTimeoutMS: 5, ToolTimeoutMS: 600000, AskTimeoutMS: 600000, MaxToolOutputBytes: 2 << 30,
		SchemaCache: "on", Keep: "0",
		ByName: map[string]config.Plugin{
			"10-guard.py": {TimeoutMS: 7, OnFailure: "block", Enabled: true, Hooks: map[hookpoints.Name]config.Hook{}},
			"log":         {Enabled: false, Hooks: map[hookpoints.Name]config.Hook{}},
		},
	}
	if diff := cmp.Diff(want, c.Plugins); diff != "" {
		t.Errorf("plugins (-want +got):\n%s", diff)
	}
}

// TestSettingsOfAPluginAddUp: what a later source says of a plugin leaves alone
// what an earlier one says under other keys. A guard stays one.
func TestSettingsOfAPluginAddUp(t *testing.T) {
	c, err := load(t, map[string]string{
		"config.toml": "[plugins.guard]\non_failure = \"block\"\n[plugins.guard.hooks.pre_tool]\ntimeout_ms = " +
			"3\n",
		"contexts/work/local.toml": "[plugins.guard.hooks.pre_tool]\non_failure = " +
			"\"ignore\"\n[plugins.guard.hooks.post_tool]\ntimeout_ms = 4\n",
	}, "plugins.guard.timeout_ms=5")
	if err != nil {
		t.Fatal(err)
	}
	want := config.Plugin{OnFailure: "block", TimeoutMS: 5, Enabled: true, Hooks: map[hookpoints.Name]config.Hook{
		"pre_tool": {TimeoutMS: 3, OnFailure: "ignore"}, "post_tool": {TimeoutMS: 4},
	}}
	if diff := cmp.Diff(want, c.Plugins.ByName["guard"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheKeyComesFromTheEnvironmentOfTheProvider(t *testing.T) {
	c, err := load(t, nil)
	if err != nil || c.APIKey != "from-env" || !c.Configured() {
		t.Errorf("key = %q, %v", c.APIKey, err)
	}
	c, err = load(t, map[string]string{"config.toml": "base_url = \"http://localhost:1/v1\"\n"})
	if err != nil || c.APIKey != "" || !c.Configured() {
		t.Errorf("key for another server = %q, %v", c.APIKey, err)
	}
}

func TestNothingConfigured(t *testing.T) {
	c, err := config.Load(config.Sources{Home: t.TempDir(), Env: func(string) string { return "" }})
	if err != nil || c.Configured() || c.Username != "user" || c.MaxToolRounds != 50 {
		t.Errorf("config = %+v, %v", c, err)
	}
}

func TestKodeHooksComeByEventInTheirOrder(t *testing.T) {
	c, err := load(t, map[string]string{
		"config.toml": "[[kode.hooks.session_end]]\nexec = \"log\"\n[[kode.hooks.tool_call_pre]]\nexec = " +
			"\"a\"\nargs = [\"-x\"]\ntimeout_ms = 7\n[[kode.hooks.tool_call_pre]]\nexec = \"b\"\n",
		"contexts/work/local.toml": "[[kode.hooks.session_end]]\nexec = \"other\"\n",
	})
	want := []config.KodeHook{{Event: "tool_call_pre", Exec: "a", Args: []string{"-x"}, TimeoutMS: 7},
		{Event: "tool_call_pre", Exec: "b", TimeoutMS: 5000}, {Event: "session_end", Exec: "other", TimeoutMS: 5000}}
	if diff := cmp.Diff(want, c.Kode.List()); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("model = \"m\"\n[plugins.x]\nenabled = true\n", "api.seed=1")
	f.Add("[api]\nstop = [\"a\"]\n", "=")
	f.Fuzz(func(t *testing.T, text, set string) {
		fuzztest.Memory(t)
		dir := home(t, map[string]string{"config.toml": text})
		config.Load(config.Sources{Home: dir, Set: []string{set}, Env: func(string) string { return "" }})
	})
}
