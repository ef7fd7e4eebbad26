package config_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/config"
)

func TestOnlyConfigTOMLAllowsURLs(t *testing.T) {
	global := "[url_policy]\nallow = ['https://a.example']\ndeny = ['preset:loopback']\n"
	load := func(local string, set ...string) (config.Config, error) {
		dir := home(t, map[string]string{"config.toml": global, "contexts/work/local.toml": local})
		return config.Load(config.Sources{Home: dir, Local: localOf(t, dir, "work"), Env: func(string) string { return "" },
			Set: set})
	}
	c, err := load("[url_policy]\ndefault = 'deny'\ndeny = ['https://b.example']\n", "url_policy.deny_override=['*']")
	p := c.URLPolicy
	if err != nil || p.Default != "deny" || len(p.Allow) != 1 || len(p.Deny) != 2 || len(p.DenyOverride) != 1 ||
		!strings.HasSuffix(p.Deny[1].Where, "local.toml:3") {
		t.Errorf("%+v %v", p, err)
	}
	for local, want := range map[string]string{
		"[url_policy]\nallow = ['*']\n": "local.toml:2: url_policy.allow can only be in config.toml; here URLs " +
			"can only be denied",
		"[url_policy]\nallow_override = []\n": "local.toml:2: url_policy.allow_override can only be in " +
			"config.toml; here URLs " +
			"can only be denied",
		"[url_policy]\ndefault = 'allow'\n": "local.toml:2: url_policy.default is \"allow\"; that can only be " +
			"in config.toml, " +
			"here it can be \"deny\"",
		"[url_policy]\ndefault = 'ask'\n": "local.toml:2: url_policy.default is \"ask\"; want \"allow\" or \"deny\"",
	} {
		if _, err := load(local); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v", local, err)
		}
	}
	want := "--set url_policy.allow=['*']: url_policy.allow can only be in config.toml; here URLs can only be denied"
	if _, err := load("", "url_policy.allow=['*']"); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}
