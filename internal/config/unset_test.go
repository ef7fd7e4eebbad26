package config_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/fuzztest"
)

func TestUnset(t *testing.T) {
	for _, test := range []struct{ name, before, key, want string }{
		{"a table's only key", "model = \"m\" # mine\n\n[plugins.a]\nenabled = false # off\n\n[plugins.b]\nenabled = true\n",
			"plugins.a.enabled",
			"model = \"m\" # mine\n\n\n[plugins.b]\nenabled = true\n"},
		{"one of several", "[plugins.a]\n# note\nenabled = false\ntimeout_ms = 5\n", "plugins.a.enabled",
			"[plugins.a]\n# note\ntimeout_ms = 5\n"},
		{"a quoted name", "[plugins.\"kodelet:a\"]\nenabled = false", "plugins.\"kodelet:a\".enabled", ""},
		{"dotted", "plugins.a.enabled = false\nmodel = \"m\"\n", "plugins.a.enabled", "model = \"m\"\n"},
		{"not there", "model = \"m\"\n", "plugins.a.enabled", "model = \"m\"\n"},
		{"at the top", "model = \"m\"\nusername = \"u\"\n", "model", "username = \"u\"\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := config.Unset("config.toml", []byte(test.before), test.key)
			if err != nil || string(got) != test.want {
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
		})
	}
	for text, want := range map[string]string{
		"[plugins]\na = {enabled = false, timeout_ms = 5}\n": "change it by hand", "model = \n": "config.toml:1",
	} {
		if _, err := config.Unset("config.toml", []byte(text), "plugins.a.enabled"); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzUnset(f *testing.F) {
	f.Add("[plugins.a]\nenabled = true\n[plugins.b]\nenabled=false")
	f.Add("plugins.a = {enabled = true}\n")
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		config.Unset("f.toml", []byte(text), "plugins.a.enabled")
	})
}
