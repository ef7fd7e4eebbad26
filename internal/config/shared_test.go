package config_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/google/go-cmp/cmp"
)

// TestWhichKeysAreShared walks all keys: a new one does not count in a context that machines
// share unless it is listed here.
func TestWhichKeysAreShared(t *testing.T) {
	want := map[string]string{
		"model": "yes", "username": "yes", "context_window_limit": "yes", "warn_threshold_percent": "yes",
		"auto_compact": "yes", "auto_compact_threshold": "yes", "rolling_compact_drop_percentage": "yes",
		"api.temperature": "yes", "api.max_tokens": "yes", "api.top_p": "yes", "api.stop": "yes",
		"api.frequency_penalty": "yes", "api.presence_penalty": "yes", "api.seed": "yes",
		"api.reasoning.effort": "yes", "api.reasoning.max_tokens": "yes", "api.reasoning.exclude": "yes",
		"api.reasoning.enabled": "yes",
		"tools.exclude":         "adds", "tools.exclude_categories": "adds", "permissions.deny": "adds",
		"url_policy.deny": "adds", "url_policy.deny_override": "adds", "url_policy.default": "deny",
		"plugins.NAME.on_failure": "block", "plugins.NAME.hooks.POINT.on_failure": "block",
	}
	got := map[string]string{}
	for _, k := range config.All() {
		if k.Shared != "" {
			got[k.Name] = k.Shared
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys that a shared context may have (-want +got):\n%s", diff)
	}
}

// shared reads a configuration with a local.toml that machines share, and with flags.
func shared(t testing.TB, global, local string, set ...string) (config.Config, error) {
	t.Helper()
	return sharedIn(home(t, map[string]string{"config.toml": global}), local, set...)
}

// sharedIn is like shared, for a home that exists.
func sharedIn(dir, local string, set ...string) (config.Config, error) {
	return config.Load(config.Sources{
		Home:  dir,
		Local: config.Local{Name: "the store", Text: local, IsShared: true},
		Env:   func(string) string { return "" }, Set: set,
	})
}

// actual replaces the placeholders in the name of a key.
func actual(key string) string {
	return strings.NewReplacer("NAME", "guard", "POINT", "pre_tool", "EVENT", "session_end", "AGENT", "claude",
		"SERVER", "s", "TOOL", "t", "VARIABLE", "V", "HEADER", "H").Replace(key)
}

func TestOtherKeysAreRefusedHoweverTheyAreWritten(t *testing.T) {
	host, err := shared(t, "", "")
	if withoutShared(&host); err != nil {
		t.Fatal(err)
	}
	for _, k := range config.All() {
		if k.Shared != "" {
			continue
		}
		key := actual(k.Name)
		i := strings.LastIndexByte(key, '.')
		table, last := key[:max(i, 0)], key[i+1:]
		for _, value := range []string{`"x"`, "9", "true", "[]", `["x"]`, "{}", "{ a = 1 }", `[{ exec = "x" }]`} {
			texts := []string{key + " = " + value, strings.ToUpper(key) + " = " + value,
				"'" + strings.ReplaceAll(key, ".", "'.'") + "' = " + value, key + ".x = " + value}
			if table != "" {
				texts = append(texts, "["+table+"]\n"+last+" = "+value, "[["+table+"]]\n"+last+" = "+value,
					table+" = { "+last+" = "+value+" }")
			}
			for _, text := range texts {
				c, err := shared(t, "", text+"\n")
				if withoutShared(&c); err == nil && reflect.DeepEqual(c, host) {
					continue // plugins.keep = {} is about a plugin of that name, for instance
				}
				if err == nil || !strings.Contains(err.Error(), "does not count in a context that machines share") &&
					!strings.Contains(err.Error(), "want ") && !strings.Contains(err.Error(), "there is no hook point") &&
					!strings.Contains(err.Error(), "unknown key") {
					t.Errorf("%s: error = %v", text, err)
				}
			}
		}
	}
}

func TestARefusedKeyIsNamed(t *testing.T) {
	const is = "; in a context that machines share it can only be "
	const only = "; in a context that machines share it may have "
	const says = " does not count in a context that machines share; put it into config.toml of this machine, or use " +
		"--set for one run"
	for text, want := range map[string]string{
		"base_url = \"http://evil\"\n":                     "base_url" + says,
		"model = \"m\"\napi_key = \"k\"\n":                 "api_key" + says,
		"[[kode.hooks.session_start]]\nexec = \"evil\"\n":  "kode" + says,
		"[mcp.x]\ncommand = \"evil\"\n":                    "mcp" + says,
		"[mcp.x]\n":                                        "mcp" + says,
		"mcp = {}\n":                                       "mcp" + says,
		"[foreign]\n":                                      "foreign" + says,
		"[permissions]\nallow = [\"shell_exec\"]\n":        "permissions.allow" + says,
		"[permissions]\nask = []\n":                        "permissions.ask" + says,
		"[url_policy]\nallow = [\"*\"]\n":                  "url_policy.allow" + says,
		"[plugins]\nallow_links = [\"/\"]\n":               "plugins.allow_links" + says,
		"[plugins.guard]\nenabled = false\n":               "plugins.guard.enabled" + says,
		"[plugins.guard]\ntimeout_ms = 1\n":                "plugins.guard.timeout_ms" + says,
		"[plugins.guard.hooks.pre_tool]\ntimeout_ms = 1\n": "plugins.guard.hooks.pre_tool.timeout_ms" + says,
		"[tools]\ninclude = [\"shell_exec\"]\n":            "tools.include" + says,
		"[tools]\ncoding = true\n":                         "tools.coding" + says,
		"[tools]\nsandbox = \"off\"\n":                     "tools.sandbox" + says,
		"[api]\ntool_choice = { a = 1 }\n":                 "api.tool_choice" + says,
		"api.tool_choice.function.name = \"shell_exec\"\n": "api.tool_choice" + says,
		"file_tools_allowed_paths = [\"/\"]\n":             "file_tools_allowed_paths" + says,
		"[trace]\nredact = [\"(((a*)*)*)*\"]\n":            "trace" + says,
		"store = \"nats://evil\"\n":                        "store" + says,
		"STORE_CREDENTIALS = \"x\"\n":                      "STORE_CREDENTIALS" + says,
		"[network]\nearly = false\n":                       "network" + says,
		"[plugins.guard]\non_failure = \"ignore\"\n":       `plugins.guard.on_failure is "ignore"` + is + `"block"`,
		"plugins.guard.hooks.pre_tool.on_failure = \"ignore\"\n": `plugins.guard.hooks.pre_tool.on_failure is "ignore"` +
			is + `"block"`,
		"[url_policy]\ndefault='allow'\n": `url_policy.default is "allow"; that can only be in config.toml, here it can be ` +
			`"deny"`,
		"username = \"\\u001b[31m\"\n":                           "username has control characters in it" + only + "none",
		"model = \"a\\nb\"\n":                                    "model has control characters in it" + only + "none",
		"[plugins.\"a\\u001b\"]\non_failure = \"block\"\n":       "a key has control characters in it" + only + "none",
		"username = \"" + strings.Repeat("a", 1025) + "\"\n":     "username has a text of 1025 bytes" + only + "1024",
		"tools.exclude = [" + strings.Repeat("'a',", 1001) + "]": "tools.exclude has 1001 entries" + only + "1000",
	} {
		_, err := shared(t, "", text)
		got := ""
		if err != nil {
			place, says, _ := strings.Cut(err.Error(), ": ")
			if got = says; !strings.HasPrefix(place, "the store:") {
				t.Errorf("%q: the error does not say where it is: %v", text, err)
			}
		}
		if got != want {
			t.Errorf("%q: error = %v\nwant %s", text, err, want)
		}
	}
}

func TestASharedTextIsBounded(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("#", config.MaxSharedBytes+1), "a = " + strings.Repeat("[", config.MaxSharedBytes),
	} {
		_, err := shared(t, "", text)
		want := fmt.Sprintf("the store has %d bytes; a context that machines share may have 65536", len(text))
		if err == nil || err.Error() != want {
			t.Errorf("error = %v\nwant    %s", err, want)
		}
	}
	for _, deep := range []string{"a = " + strings.Repeat("[", 60_000), "a = " + strings.Repeat("{a=", 20_000),
		strings.Repeat("a.", 30_000) + "a = 1", "[" + strings.Repeat("a.", 30_000) + "a]"} {
		if _, err := shared(t, "", deep); err == nil {
			t.Errorf("%.20s... is accepted", deep)
		}
	}
}

// TestASharedContextTakesNothingAway states that what the host leaves out and denies stays so,
// and that the person's flags still precede.
func TestASharedContextTakesNothingAway(t *testing.T) {
	global := "model = 'host'\n[tools]\nexclude = ['run']\nexclude_categories = ['shell']\n[permissions]\ndeny = ['a']\n" +
		"[url_policy]\ndefault = 'deny'\ndeny = ['https://a.example']\n"
	local := "model = 'theirs'\n[tools]\nexclude = ['read_file', 'run']\nexclude_categories = []\n" +
		"[permissions]\ndeny = []\n" +
		"[url_policy]\ndeny = ['https://b.example']\n[api]\nstop = [\"\\n\\n\"]\n"
	c, err := shared(t, global, local)
	if err != nil {
		t.Fatal(err)
	}
	if c.Model != "theirs" || !slices.Equal(c.Tools.Exclude, []string{"run", "read_file"}) ||
		!slices.Equal(c.Tools.ExcludeCategories, []string{"shell"}) || len(c.Permissions.Deny) != 1 ||
		c.URLPolicy.Default != "deny" || len(c.URLPolicy.Deny) != 2 || !slices.Equal(c.API.Stop, []string{"\n\n"}) {
		t.Errorf("got %+v", c)
	}
	if c, err = shared(t, global, local, "model=mine", "tools.exclude=[]"); err != nil || c.Model != "mine" ||
		len(c.Tools.Exclude) != 0 {
		t.Errorf("flags: %q %q %v", c.Model, c.Tools.Exclude, err)
	}
}

func TestASharedContextRequiresGuards(t *testing.T) {
	for _, test := range []struct{ name, global, local, set string }{
		{"new", "", "[plugins.guard]\non_failure = 'block'\n", ""},
		{"inline", "", "plugins = { guard = { on_failure = 'block' } }\n", ""},
		{"turned off here", "[plugins.guard]\nenabled = false\n", "plugins.guard.on_failure = 'block'\n", ""},
		{"ignored here", "[plugins.guard]\non_failure = 'ignore'\n", "plugins.guard.on_failure = 'block'\n", ""},
		{"ignored at the point here", "[plugins.guard.hooks.pre_tool]\non_failure = 'ignore'\n",
			"plugins.guard.on_failure = 'block'\n", ""},
		{"at a point", "[plugins.guard]\non_failure = 'ignore'\n",
			"plugins.guard.hooks.pre_tool.on_failure = 'block'\n", ""},
		{"against a flag", "", "plugins.guard.on_failure = 'block'\n", "plugins.guard.on_failure=ignore"},
		{"against another flag", "", "plugins.guard.on_failure = 'block'\n",
			"plugins.guard.hooks.pre_tool.on_failure=ignore"},
	} {
		var set []string
		if test.set != "" {
			set = []string{test.set}
		}
		c, err := shared(t, test.global, test.local, set...)
		p := c.Plugins.ByName["guard"]
		at := p.Hooks[hookpoints.PreTool.Name].OnFailure
		if err != nil || !p.Required || at != "block" && (at != "" || p.OnFailure != "block") {
			t.Errorf("%s: %+v, error %v", test.name, p, err)
		}
	}
	c, err := shared(t, "[plugins.own]\non_failure = 'block'\n", "model = 'm'\n")
	if err != nil || c.Plugins.ByName["own"].Required {
		t.Errorf("the host's own guard counts as required by the context: %v", err)
	}
}

// FuzzShared states that whatever a shared text says, a configuration differs from the host's
// only in what the keys of TestWhichKeysAreShared set.
func FuzzShared(f *testing.F) {
	for _, text := range []string{"model = 'm'\n[api]\nseed = 1\n", "base_url = 'http://x'\n", "[mcp.a]\nurl = 'x'\n",
		"[plugins.g]\non_failure = 'block'\n[tools]\nexclude = ['x']\n", "[[kode.hooks.session_end]]\nexec = 'x'\n",
		"permissions.deny = ['x']\n", "permissions = { allow = ['x'] }\n", "\"mcp\" = { a = {} }\n"} {
		f.Add(text)
	}
	dir := home(f, map[string]string{"config.toml": "api_key = 'key'\nbase_url = 'https://host'\n" +
		"[tools]\nexclude = ['run']\n[mcp.a]\ncommand = 'x'\n" +
		"[permissions]\ndeny = ['d']\nallow = ['a']\n[plugins.g]\nenabled = false\n"})
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		want, err := sharedIn(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		got, err := sharedIn(dir, text)
		if err != nil {
			return
		}
		if !slices.Contains(got.Tools.Exclude, "run") || got.Permissions.Deny[0].Text != "d" {
			t.Errorf("%q takes away what the host leaves out or denies", text)
		}
		for _, c := range []*config.Config{&want, &got} {
			withoutShared(c)
		}
		if !reflect.DeepEqual(want, got) {
			t.Errorf("%q changes (-host +with it):\n%s", text, cmp.Diff(want, got))
		}
	})
}

// withoutShared clears what a shared context may set.
func withoutShared(c *config.Config) {
	c.Model, c.Username, c.ContextWindowLimit, c.WarnThresholdPercent = "", "", 0, 0
	c.AutoCompact, c.AutoCompactThreshold, c.RollingCompactDropPercentage = false, 0, 0
	c.API = config.API{ToolChoice: c.API.ToolChoice, ParallelToolCalls: c.API.ParallelToolCalls,
		ResponseFormat: c.API.ResponseFormat, PromptCaching: c.API.PromptCaching}
	c.Tools.Exclude, c.Tools.ExcludeCategories, c.Permissions.Deny = nil, nil, nil
	c.URLPolicy.Default, c.URLPolicy.Deny, c.URLPolicy.DenyOverride = "", nil, nil
	for name, p := range c.Plugins.ByName {
		p.OnFailure, p.Required = "", false
		for point, hook := range p.Hooks {
			if hook.OnFailure = ""; hook == (config.Hook{}) {
				delete(p.Hooks, point)
			}
		}
		if c.Plugins.ByName[name] = p; p.Enabled && p.TimeoutMS == 0 && len(p.Hooks) == 0 {
			delete(c.Plugins.ByName, name)
		}
	}
}
