package config_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/config"
)

// TestWhichKeysAPairSets, however it is written.
func TestWhichKeysAPairSets(t *testing.T) {
	for pair, want := range map[string]string{
		`model=m`:                                       "model",
		`permissions.allow=["a"]`:                       "permissions.allow",
		`"permissions" . 'Allow' = ["a"]`:               "permissions.allow",
		`permissions={deny=["a"], allow=["b"]}`:         "permissions.allow permissions.deny",
		`plugins."a.b".enabled=false`:                   "plugins.a.b.enabled",
		"model = \"m\"\n[permissions]\nallow = [\"a\"]": "model permissions.allow",
		"model = \"m\"\n[[kode.hooks.x]]\nexec = \"a\"": "kode.hooks.x model",
		"model = m\npermissions.allow = [\"a\"]":        "model", // no TOML, so a text
		`plugins={}`:                                    "",
	} {
		keys, err := config.SetKeys(pair)
		if got := strings.Join(keys, " "); err != nil || got != want {
			t.Errorf("%s sets %q, %v; want %q", pair, got, err, want)
		}
	}
}

// TestARunWithinAnotherOneIsHeldLikeThatOne.
func TestARunWithinAnotherOneIsHeldLikeThatOne(t *testing.T) {
	local := "model = \"m\"\napi_key = \"secret\"\n[permissions]\ndeny = [\"a\"]\nallow = [\"l\"]\n" +
		"[plugins.g]\non_failure = \"block\"\n[tools]\nexclude = [\"t\"]\n"
	outer := config.Sources{Local: config.Local{Name: "local.toml", Text: local}, Env: noEnv,
		Set: []string{`permissions.ask=["b"]`, `kode.hooks.user_prompt_submit=[{exec="k"}]`, "plugins.h.enabled=false",
			"api_key=other"},
		Allow: []string{"c"}, Deny: []string{"d"}}
	texts, err := config.Holding(outer)
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(texts, ""); strings.Contains(all, "secret") || strings.Contains(all, "other") {
		t.Errorf("a key is among what holds: %s", all)
	}
	for range 2 { // in a run within that run too
		c, err := config.Load(config.Sources{Home: t.TempDir(), Within: texts, Deny: []string{"e"}, Env: noEnv})
		if err != nil {
			t.Fatal(err)
		}
		p := c.Permissions
		got := []any{rules(p.Deny), rules(p.Ask), rules(p.Allow), c.Tools.Exclude, c.Plugins.ByName["g"].OnFailure,
			c.Plugins.ByName["h"].Enabled, len(c.Kode.List()), c.Model}
		if want := []any{"a d e", "b", "l c", []string{"t"}, "block", false, 1, ""}; !reflect.DeepEqual(got, want) {
			t.Errorf("%v; want %v", got, want)
		}
		if texts, err = config.Holding(config.Sources{Within: texts}); err != nil {
			t.Fatal(err)
		}
	}
}

func rules(list config.Rules) string {
	var texts []string
	for _, r := range list {
		texts = append(texts, r.Text)
	}
	return strings.Join(texts, " ")
}

func noEnv(string) string { return "" }
