package cli

import (
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// FuzzInput holds that a run given as JSON is understood or refused.
func FuzzInput(f *testing.F) {
	f.Add(`{"command": {"send_prompt": {"prompt": "hi"}}, "context": "work"}`)
	f.Add(`{"command": "list_contexts", "username_override": "Ada"}`)
	f.Add(`{"command": {"show_log": {"count": -5, "context": []}}, "context": {"name": 7}}`)
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		if !strictjson.Valid([]byte(text)) {
			return
		}
		p := &program{}
		for _, step := range []func(gjson.Result) error{p.inputCommand, p.inputContext, p.inputUsername} {
			if err := step(gjson.Parse(text)); err != nil {
				return
			}
		}
	})
}
