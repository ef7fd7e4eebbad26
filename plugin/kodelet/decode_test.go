package kodelet

import (
	"encoding/json"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// FuzzResult holds that no output of a hook breaks the adapter.
func FuzzResult(f *testing.F) {
	f.Add(`{"blocked":true,"reason":"x","input":{"a":1},"output":{"metadata":{"output":"y"}}}`)
	f.Add(`{"result":"mutate","messages":[{"role":"user","content":"x"}],"callback":"c","callback_args":{"a":"b"}}`)
	f.Add("log\n{}")
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		for _, e := range events() {
			c := codec{event: e}
			answer, err := c.Decode(plugin.Event{Payload: json.RawMessage(`{"output":"x"}`)},
				process.Outcome{Stdout: []byte(text)})
			if err != nil || len(answer.Body) > 0 && !json.Valid(answer.Body) {
				t.Errorf("%s, %q: %s, %v", e.name, text, answer.Body, err)
			}
		}
	})
}
