package config_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
)

func TestEditChangesOnlyItsKey(t *testing.T) {
	for _, test := range []struct{ name, before, key, value, after string }{
		{"empty file", "", "username", "Ada", "username = 'Ada'\n"},
		{"a value that is TOML stays as written", "", "api.temperature", "0.20", "[api]\ntemperature = 0.20\n"},
		{"in place, comments stay", "# mine\nmodel = \"a\"   # the small one\n\n# user\nusername = \"x\"\n", "model", "b",
			"# mine\nmodel = 'b'   # the small one\n\n# user\nusername = \"x\"\n"},
		{"in a table", "[api]\n  temperature = 1 # hot\n", "api.temperature", "0", "[api]\n  temperature = 0 # hot\n"},
		{"a new key in its table", "[api]\nseed = 1\n# about top_p\n\n[tools]\nexclude = []\n", "api.temperature", "0.5",
			"[api]\nseed = 1\ntemperature = 0.5\n# about top_p\n\n[tools]\nexclude = []\n"},
		{"a new key in an empty table", "[api]\n\n[tools]\n", "api.seed", "1", "[api]\nseed = 1\n\n[tools]\n"},
		{"a new table", "model = \"m\"\n", "storage.bytes_per_token", "4",
			"model = \"m\"\n\n[storage]\nbytes_per_token = 4\n"},
		{"a new key before the first table", "# head\n\n[api]\nseed = 1\n", "model", "m",
			"# head\n\nmodel = 'm'\n[api]\nseed = 1\n"},
		{"after the last key on top", "model = \"m\"\n\n[api]\nseed = 1\n", "username", "u",
			"model = \"m\"\nusername = 'u'\n\n[api]\nseed = 1\n"},
		{"a dotted key", "api.seed = 1\n", "api.seed", "2", "api.seed = 2\n"},
		{"beside dotted keys", "api.seed = 1\n", "api.top_p", "0.5", "api.seed = 1\napi.top_p = 0.5\n"},
		{"in an inline table", "api = { seed = 1, top_p = 0.5 } # c\n", "api.seed", "2",
			"api = { seed = 2, top_p = 0.5 } # c\n"},
		{"new in an inline table", "api = { seed = 1 }\n", "api.top_p", "0.5", "api = { seed = 1, top_p = 0.5 }\n"},
		{"new in an empty inline table", "api = {}\n", "api.top_p", "0.5", "api = { top_p = 0.5 }\n"},
		{"nested inline", "api = { reasoning = { effort = 'low' } }\n", "api.reasoning.exclude", "true",
			"api = { reasoning = { effort = 'low', exclude = true } }\n"},
		{"a list over several lines", "[tools]\nexclude = [\n  \"a\", # first\n  \"b]\",\n]\ninclude = ['x']\n",
			"tools.exclude", "[\"c\"]",
			"[tools]\nexclude = [\"c\"]\ninclude = ['x']\n"},
		{"a long text", "username = \"\"\"\none # no comment\n\"two\"\"\"\" # comment\nmodel = 'm'\n", "username", "u",
			"username = 'u' # comment\nmodel = 'm'\n"},
		{"a literal text with a bracket", "username = 'a # ] b'\n", "username", "u", "username = 'u'\n"},
		{"a plugin with a dot in its name", "[plugins.\"10-guard.py\"]\ntimeout_ms = 5\n",
			`plugins."10-guard.py".enabled`, "false",
			"[plugins.\"10-guard.py\"]\ntimeout_ms = 5\nenabled = false\n"},
		{"a plugin that is new", "[plugins]\nhook_timeout_ms = 5\n", `plugins.log.enabled`, "false",
			"[plugins]\nhook_timeout_ms = 5\nlog.enabled = false\n"},
		{"no newline at the end", "model = 'm'", "username", "u", "model = 'm'\nusername = 'u'\n"},
		{"Windows line ends", "model = 'm'\r\n[api]\r\nseed = 1\r\n", "api.top_p", "1",
			"model = 'm'\r\n[api]\r\nseed = 1\r\ntop_p = 1\r\n"},
		{"below comments that head the file", "# head", "username", "u", "# head\nusername = 'u'\n"},
		{"a comment in an empty inline table", "api = { # c\n}\n", "api.seed", "1", "api = { seed = 1 # c\n}\n"},
		{"a number that equals nothing", "[api]\ntemperature = nan\n", "api.seed", "1",
			"[api]\ntemperature = nan\nseed = 1\n"},
		{"spaces in a text", "", "username", "Ada Lovelace", "username = 'Ada Lovelace'\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := config.Edit("local.toml", []byte(test.before), test.key, test.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.after, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again, err := config.Edit("local.toml", got, test.key, test.value)
			if err != nil || string(again) != string(got) {
				t.Errorf("once more: %q, %v", again, err)
			}
		})
	}
}

func TestEditRefusesWhatTheProgramWouldNotRead(t *testing.T) {
	for _, test := range []struct{ before, key, value, want string }{
		{"", "temperature", "1", `--set temperature=1: unknown key "temperature"; did you mean "api.temperature"?`},
		{"", "api.temperature", "hot", `--set api.temperature=hot: api.temperature: want a number, got a string`},
		{"", "username=1\nmodel", "m", `"username=1\nmodel" is not a key; want KEY or TABLE.KEY`},
		{"modle = 1\n", "model", "m", `local.toml:1: unknown key "modle"; did you mean "model"?`},
		{"model = \n", "model", "m", "local.toml:1: "},
	} {
		_, err := config.Edit("local.toml", []byte(test.before), test.key, test.value)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error = %v\nwant    %s", err, test.want)
		}
	}
}

// TestEveryKeyWorksForOneContext sets every key in local.toml and holds that it
// counts.
func TestEveryKeyWorksForOneContext(t *testing.T) {
	values := map[string]string{
		"model": "m", "base_url": "http://localhost:1/v1", "username": "u", "api.stop": "['x']", "api.tool_choice": "none",
		"api.response_format": "{type='text'}", "api.reasoning.effort": "low", "tools.include": "['a']",
		"tools.exclude":            "['b']",
		"file_tools_allowed_paths": "['/x']", "storage.partition_max_age_seconds": "77",
		"tools.sandbox": "landlock", "tools.sandbox_write": "['.claude']",
		"tools.exclude_categories": "['shell']", "file_tools_write_paths": "['/x']", "permissions.deny": "['shell']",
		"permissions.ask": "['shell']", "permissions.allow": "['shell']",
		"url_policy.default": "deny", "url_policy.deny": "['*']", "url_policy.deny_override": "['*']",
		"trace.max_bytes": "100000", "trace.redact": "['x+']", "foreign.prompt_model": "m", "bridge.keep": "5m",
		"bridge.foreign": "['claude']",
	}
	before, err := load(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range config.Keys() {
		if !slices.Contains(config.SettableKeys(), key) {
			continue // TestOnlyConfigTOMLAllowsURLs, TestTheStoreIsNamedByTheHomeOnly
		}
		value := values[key]
		old, _ := before.Value(key)
		switch {
		case value != "":
		case old == "true" || old == "false":
			value = map[string]string{"true": "false", "false": "true"}[old]
		case strings.HasPrefix(key, "limits."):
			value = "100000"
		default:
			value = "9"
		}
		text, err := config.Edit("local.toml", nil, key, value)
		if err != nil {
			if text, err = config.Edit("local.toml", nil, key, "true"); err != nil {
				t.Errorf("%s: %v", key, err)
				continue
			}
		}
		c, err := load(t, map[string]string{"contexts/work/local.toml": string(text),
			"models.toml": "[models.m]\ncontext_window = 3\n"})
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		if got, ok := c.Value(key); !ok || got == old || got == "" {
			t.Errorf("%s in local.toml: the value stays %q", key, got)
		}
	}
}

func FuzzEdit(f *testing.F) {
	f.Add("# c\nmodel = \"m\" # d\n[api]\nseed = 1\n", "x")
	f.Add("api = { seed = 1 }\ntools.exclude = ['''a''', \"b\"]\n", "\"q")
	f.Fuzz(func(t *testing.T, text, value string) {
		fuzztest.Memory(t)
		for _, key := range []string{"username", "api.tool_choice", "plugins.log.on_failure"} {
			got, err := config.Edit("f.toml", []byte(text), key, value)
			if err != nil {
				continue
			}
			for _, comment := range []string{"# c", "# d"} {
				if strings.Count(text, comment) > 0 && strings.Contains(text, "\n"+comment+"\n") &&
					!strings.Contains(string(got), comment) {
					t.Errorf("the comment %q is gone from %q: %q", comment, text, got)
				}
			}
			var before, after map[string]any
			if toml.Unmarshal([]byte(text), &before) != nil || toml.Unmarshal(got, &after) != nil {
				t.Fatalf("%q became %q", text, got)
			}
			root, _, _ := strings.Cut(key, ".")
			for name, v := range before {
				if name != root && !reflect.DeepEqual(v, after[name]) {
					t.Errorf("%s changed in %q: %q", name, text, got)
				}
			}
		}
	})
}
