package merge_test

import (
	"fmt"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/merge"
)

// TestRebase: what a plugin of a round changed, where others of the round have changed
// something before.
func TestRebase(t *testing.T) {
	type on struct {
		point hookpoints.Info
		field string
	}
	args, text, request := on{preTool, "arguments"}, on{preMessage, "prompt"}, on{preAPIRequest, "request_body"}
	for _, test := range []struct {
		name string
		on
		received, answer, now, wants string
	}{
		{"nobody changed anything", args, `{"a":1}`, `{"a":2}`, `{"a":1}`, `{"a":2}`},
		{"another key", args, `{"a":1,"b":1}`, `{"a":1,"b":2}`, `{"a":3,"b":1}`, `{"a":3,"b":2}`},
		{"a key below", args, `{"o":{"a":1,"b":1}}`, `{"o":{"a":1,"b":2}}`, `{"o":{"a":3,"b":1}}`,
			`{"o":{"a":3,"b":2}}`},
		{"an added key", args, `{}`, `{"b":null}`, `{"a":3}`, `{"a":3,"b":null}`},
		{"a deleted key", args, `{"a":1,"b":1}`, `{"a":1}`, `{"a":3,"b":1}`, `{"a":3}`},
		{"a key that both delete", args, `{"a":1,"b":1}`, `{"a":1}`, `{"a":3}`, `{"a":3}`},
		{"below what was deleted", args, `{"o":{"a":1,"b":1}}`, `{"o":{"a":2,"b":1}}`, `{}`, `{"o":{"a":2}}`},
		{"below what is no object any more", args,
			`{"o":{"a":1,"b":1}}`, `{"o":{"a":2,"b":1}}`, `{"o":[]}`, `{"o":{"a":2}}`},
		{"another type", args, `{"o":{"a":1}}`, `{"o":"x"}`, `{"o":{"a":2}}`, `{"o":"x"}`},
		{"lists are changed as a whole", args, `{"l":[1,2]}`, `{"l":[1,2,3]}`, `{"l":[0,1,2]}`, `{"l":[1,2,3]}`},
		{"numbers are compared by value", args, `{"a":1,"b":1}`, `{"a":1.0,"b":2}`, `{"a":3,"b":1}`, `{"a":3,"b":2}`},
		{"what came", args, `{"a":1}`, `{"a":1}`, `{"a":3}`, `{"a":3}`},
		{"a key with a dot", args, `{"a.b":1,"0":1}`, `{"a.b":2,"0":1}`, `{"a.b":1,"0":3}`, `{"a.b":2,"0":3}`},
		{"a text", text, `"a"`, `"b"`, `"c"`, `"b"`},
		{"the text that came", text, `"a"`, `"a"`, `"c"`, `"c"`},
		{"a patch of another key", request, `{"a":1}`, `{"b":2}`, `{"a":3}`, `{"b":2}`},
		{"a patch with what came", request, `{"a":1,"b":1}`, `{"a":1,"b":2}`, `{"a":3,"b":1}`, `{"b":2}`},
		{"a patch that changes nothing", request,
			`{"a":1}`, `{"a":1,"b":null}`, `{"a":3,"b":3}`, `null`},
		{"a patch that deletes null", request, `{"a":null}`, `{"a":null}`, `{"a":3}`, `{"a":null}`},
		{"a patch below", request, `{"o":{"a":1,"b":1}}`, `{"o":{"a":1,"b":2}}`, `{}`, `{"o":{"b":2}}`},
		{"a patch below that changes nothing", request, `{"o":{"a":1}}`, `{"o":{}}`, `{}`, `null`},
	} {
		t.Run(test.name, func(t *testing.T) {
			object := func(value string) []byte { return fmt.Appendf(nil, `{%q:%s}`, test.field, value) }
			round := merge.NewRound(test.point, object(test.received))
			for range 2 { // what a round knows of its payload does not change
				got := round.Rebase(object(test.answer), object(test.now))
				if string(got) != string(object(test.wants)) {
					t.Errorf("Rebase = %s, want %s", got, object(test.wants))
				}
			}
		})
	}
}

var (
	preTool       = hookpoints.PreTool.Info()
	preMessage    = hookpoints.PreMessage.Info()
	preAPIRequest = hookpoints.PreAPIRequest.Info()
)

// FuzzRebase: where nobody has changed anything, an answer means what it says, and one equal
// to what came means nothing, whatever the others did.
func FuzzRebase(f *testing.F) {
	f.Add([]byte(`{"a":{"b":1}}`), []byte(`{"a":{"b":2},"c":null}`), []byte(`{"a":[]}`))
	f.Add([]byte(`{"a":1,"a":2}`), []byte(`{"A":1}`), []byte(`{}`))
	f.Add([]byte(`{}`), []byte("{\"\xe6\":null}"), []byte(`{"\ud800":1}`))
	f.Fuzz(func(t *testing.T, received, answer, now []byte) {
		fuzztest.Memory(t)
		for _, text := range []*[]byte{&received, &answer, &now} {
			var err error
			if *text, err = strictjson.Normalize(*text); err != nil || (*text)[0] != '{' {
				return
			}
		}
		object := func(value []byte) []byte { return fmt.Appendf(nil, `{"arguments":%s}`, value) }
		round := merge.NewRound(preTool, object(received))
		if got := round.Rebase(object(answer), object(received)); !merge.Equal(got, object(answer)) {
			t.Errorf("answer %s to %s: %s", answer, received, got)
		}
		if got := round.Rebase(object(received), object(now)); !merge.Equal(got, object(now)) {
			t.Errorf("answer equal to %s, now %s: %s", received, now, got)
		}
		for _, d := range merge.Diff(received, answer) {
			rebased := round.Rebase(object(answer), object(now))
			got := merge.At(rebased, "/arguments"+d.Path)
			if d.After == nil && got != nil || d.After != nil && d.After[0] != '{' && !merge.Equal(got, d.After) {
				t.Errorf("%s of the answer %s to %s, now %s: %s", d.Path, answer, received, now, got)
			}
		}
	})
}
