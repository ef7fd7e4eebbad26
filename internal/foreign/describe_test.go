package foreign_test

import (
	"testing"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/foreign"
)

// Who approves a hook sees what decides what it does: variables can do as much as the command.
func TestWhatAHookDoesSaysItsVariables(t *testing.T) {
	for want, h := range map[string]engine.Handler{
		"runs ./lint.sh": {Kind: engine.CommandHandler, Command: "./lint.sh"},
		"runs ./lint.sh; with BASH_ENV=./x.sh PATH='a b'; in \"tools\"": {Kind: engine.CommandHandler,
			Command: "./lint.sh", Dir: "tools", Env: map[string]string{"PATH": "a b", "BASH_ENV": "./x.sh"}},
		"posts to https://a.example/; may send the values of ANTHROPIC_API_KEY, HOME": {Kind: engine.HTTPHandler,
			URL: "https://a.example/", AllowedEnv: []string{"ANTHROPIC_API_KEY", "HOME"}},
	} {
		if got := foreign.Describe(h); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
