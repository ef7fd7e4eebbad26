package native

import (
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// FuzzAnswer holds that what a hook prints is an object, nothing, or explained.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"block": true}`))
	f.Add([]byte("log line\n{\"block\": true}\n"))
	f.Add([]byte("\xff\xfe"))
	f.Add([]byte("[[[["))
	f.Fuzz(func(t *testing.T, out []byte) {
		fuzztest.Memory(t)
		answer, err := codec{}.Decode(plugin.Event{}, process.Outcome{Stdout: out})
		if err != nil {
			return
		}
		body := answer.Body
		if len(body) > 0 && (body[0] != '{' || !strictjson.Valid(body)) &&
			(answer.Unreadable != "" || answer.Explain(body) == "") {
			t.Errorf("nothing says why %q is not an answer", out)
		}
	})
}
