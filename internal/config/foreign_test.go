package config_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/google/go-cmp/cmp"
)

func TestHooksOfAgentsAreTurnedOnByAgent(t *testing.T) {
	c, err := load(t, map[string]string{"config.toml": `
[foreign]
allow_private = true
model_hooks = true
prompt_model = "small"
[foreign.claude]
user = true
files = ["~/hooks.json"]
plugins = ["~/plugins/guard"]
version = "2.1"
[foreign.Claude-Code]
project = true
`})
	want := config.Foreign{AllowPrivate: true, ModelHooks: true, PromptModel: "small",
		ByName: map[string]config.ForeignAgent{"claude": {User: true, Project: true, Files: []string{"~/hooks.json"},
			Plugins: []string{"~/plugins/guard"}, Version: "2.1"}}}
	if diff := cmp.Diff(want, c.Foreign); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for text, on := range map[string]bool{"": false, "foreign.claude = {}": false, "foreign.claude.version = '1'": false,
		"foreign.claude.user = true": true, "foreign.claude.project = true": true, "foreign.claude.files = ['x']": true,
		"foreign.claude.plugins = ['x']": true} {
		c, err := load(t, map[string]string{"config.toml": text})
		if c.Foreign.ByName["claude"].IsOn() != on || err != nil {
			t.Errorf("%q: %+v, %v", text, c.Foreign, err)
		}
	}
}

func TestMistakesInHooksOfAgents(t *testing.T) {
	for text, want := range map[string]string{
		"[foreign.claud]\nuser = true\n":          `:1: unknown key "foreign.claud"; did you mean "foreign.claude"?`,
		"foreign.windsurf.user = true\n":          `config.toml:1: unknown key "foreign.windsurf"`,
		"[foreign.claude]\nuse = true\n":          `unknown key "foreign.claude.use"; did you mean "foreign.claude.user"?`,
		"[foreign]\nuser = true\n":                `unknown key "foreign.user"; did you mean "foreign.AGENT.user"?`,
		"[foreign]\nmodel_hook = true\n":          `unknown key "foreign.model_hook"; did you mean "foreign.model_hooks"?`,
		"[foreign.claude]\nfiles = [' ']\n":       "foreign.claude.files has an empty entry",
		"[foreign.claude]\nuser = 'yes'\n":        "foreign.claude.user: want true or false, got a string",
		"[foreign.claude]\nversion = \"a\\nb\"\n": "foreign.claude.version has a line break or a NUL in it",
	} {
		_, err := load(t, map[string]string{"config.toml": text})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error = %v\nwant    %s", text, err, want)
		}
	}
}
