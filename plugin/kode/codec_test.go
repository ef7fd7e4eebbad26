package kode

import (
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// FuzzOutput holds that no output of a hook breaks the adapter.
func FuzzOutput(f *testing.F) {
	f.Add(`{"block":true,"annotation":"x","replace_prompt":"p","replace_tool_input":{"a":1},"more":[]}`, 0)
	f.Add("log\n{}", 1)
	f.Fuzz(func(t *testing.T, text string, exit int) {
		fuzztest.Memory(t)
		for name, point := range Events() {
			c := codec{event: event{name, point}, warned: &sync.Map{}}
			answer, err := c.Decode(plugin.Event{}, process.Outcome{Stdout: []byte(text), Stderr: text, Exit: exit})
			var refusal *plugin.Refusal
			if err != nil && !errors.As(err, &refusal) || len(answer.Body) > 0 && !json.Valid(answer.Body) {
				t.Errorf("%s, %q: %s, %v", name, text, answer.Body, err)
			}
		}
	})
}
