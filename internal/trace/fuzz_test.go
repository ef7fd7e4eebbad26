package trace_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/trace"
)

// FuzzRead checks that no file breaks what is made of a trace.
func FuzzRead(f *testing.F) {
	f.Add(`{"run":"r","turn":1,"step":{"kind":"request","request":{"tools":["a"],"configured":null,"offered":[],` +
		`"before":{},"after":{"x":1}}}}` + "\n" +
		`{"run":"r","turn":1,"dispatch":1,"point":"pre_tool","plugin":"p","result":"blocked","payload":{"tool_call_id":7},` +
		`"answer":[]}`)
	f.Add(`{"run":"r","step":{"kind":"call","call":{"tool":"t"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		turns, _, err := trace.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, turn := range turns {
			turn.Explain()
			for _, name := range turn.Names() {
				turn.ExplainAbout(name)
			}
			turn.Cases("p")
			turn.Print(&strings.Builder{}, "", 80, func(_, text string) string { return text })
		}
		if err := trace.HTML(&strings.Builder{}, turns); err != nil {
			t.Error(err)
		}
	})
}
