package merge

import (
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/google/go-cmp/cmp"
)

// TestWhatIsBesideTheAnswer: texts of all, and halts, which beat everything else.
func TestWhatIsBesideTheAnswer(t *testing.T) {
	const args = `{"arguments":{"n":1}}`
	for _, test := range []struct {
		name    string
		point   hookpoints.Info
		replies []Reply
		answer  string
		halted  hookpoints.Halted
		texts   []hookpoints.Text
		did     []string // of all replies
	}{
		{"contexts of several", hookpoints.PreTool.Info(),
			[]Reply{body("a", `{"context":"one"}`), body("b", `{"context":"two"}`)},
			`{"context":"one\n\ntwo"}`, hookpoints.Halted{},
			[]hookpoints.Text{{Plugin: "a", Text: "one"}, {Plugin: "b", Text: "two"}},
			[]string{"added context (3 characters)", "added context (3 characters)"}},
		{"an empty one is none", hookpoints.PreTool.Info(),
			[]Reply{body("a", `{"context":""}`)}, ``, hookpoints.Halted{}, nil, nil},
		{"those of a chain that was blocked", hookpoints.PreTool.Info(),
			[]Reply{body("a", `{"context":"one"}`), body("b", `{"block":true,"message":"no","context":"two"}`)},
			`{"block":true,"message":"no","context":"one\n\ntwo"}`, hookpoints.Halted{},
			[]hookpoints.Text{{Plugin: "a", Text: "one"}, {Plugin: "b", Text: "two"}},
			[]string{"added context (3 characters)", "added context (3 characters)"}},
		{"for the person", hookpoints.PreSendMessage.Info(), []Reply{body("a", `{"delivered":true,"system_message":"sent"}`)},
			`{"delivered":true,"via":"a","system_message":"sent"}`, hookpoints.Halted{}, nil, []string{"told the person: sent"}},
		{"of a guard", hookpoints.PreTool.Info(),
			[]Reply{guard("g", `{"context":"one","arguments":{}}`)}, `{"context":"one"}`,
			hookpoints.Halted{}, []hookpoints.Text{{Plugin: "g", Text: "one"}}, []string{"added context (3 characters)"}},
		{"a halt in a chain", hookpoints.PreTool.Info(),
			[]Reply{body("a", `{"halt":true,"message":"enough"}`), body("b", args)},
			`{"halt":true,"message":"enough"}`, hookpoints.Halted{Plugin: "a", Message: "enough"}, nil, nil},
		{"a halt without a message", hookpoints.PreTool.Info(), []Reply{body("a", `{"halt":true}`)},
			`{"halt":true,"message":"halted by plugin \"a\""}`, hookpoints.Halted{Plugin: "a", Message: `halted by plugin "a"`},
			nil, nil},
		{"a halt beats a block", hookpoints.PreTool.Info(),
			[]Reply{guard("a", `{"block":true,"message":"no"}`), guard("b", `{"halt":true,"message":"enough"}`)},
			`{"block":true,"message":"enough","halt":true}`, hookpoints.Halted{Plugin: "b", Message: "enough"}, nil, nil},
		{"the first halt counts", hookpoints.PreStop.Info(),
			[]Reply{body("a", `{"follow_up_messages":["x"]}`), body("b", `{"halt":true}`), body("c",
				`{"halt":true,"message":"c"}`)},
			`{"halt":true,"message":"halted by plugin \"b\""}`, hookpoints.Halted{Plugin: "b", Message: `halted by plugin "b"`},
			nil, nil},
		{"a halt at an output lets the others rewrite it", hookpoints.PreToolOutput.Info(),
			[]Reply{body("a", `{"halt":true,"message":"enough"}`), body("b", `{"output":"redacted"}`)},
			`{"output":"redacted","halt":true,"message":"enough"}`, hookpoints.Halted{Plugin: "a", Message: "enough"}, nil,
			[]string{"halted the turn: enough"}},
		{"and block it", hookpoints.PreToolOutput.Info(),
			[]Reply{body("a", `{"halt":true,"message":"enough"}`), body("b", `{"block":true,"message":"secret"}`)},
			`{"block":true,"message":"secret","halt":true}`, hookpoints.Halted{Plugin: "a", Message: "enough"}, nil,
			[]string{"halted the turn: enough"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, _ := Fold(test.point, []byte(`{"arguments":{},"output":"o"}`), test.replies)
			var did []string
			for _, e := range got.Effects {
				did = append(did, e.Did...)
			}
			if string(got.Answer) != test.answer || got.Halted != test.halted {
				t.Errorf("answer %s, want %s; halted: %+v", got.Answer, test.answer, got.Halted)
			}
			if diff := cmp.Diff(test.texts, got.Texts) + cmp.Diff(test.did, did); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestDecisionsInAChain: a denial blocks, a permission is about the payload that it saw.
func TestDecisionsInAChain(t *testing.T) {
	const rewrite, same = `{"arguments":{"n":1}}`, `{"arguments":{}}`
	for _, test := range []struct {
		name    string
		replies []Reply
		answer  string
		by      string
	}{
		{"allow", []Reply{body("a", `{"decision":"allow"}`), body("b", same)}, `{"decision":"allow"}`, "a"},
		{"allow what a later one changes", []Reply{body("a", `{"decision":"allow"}`), body("b", rewrite)}, rewrite, ""},
		{"allow what it changes itself", []Reply{body("a", `{"arguments":{"n":1},"decision":"allow"}`)},
			`{"arguments":{"n":1},"decision":"allow"}`, "a"},
		{"ask about what a later one changes", []Reply{body("a", `{"decision":"ask","reason":"r"}`), body("b", rewrite)},
			`{"arguments":{"n":1},"decision":"ask","reason":"r"}`, "a"},
		{"ask beats allow", []Reply{body("a", `{"decision":"allow"}`), body("b", `{"decision":"ask"}`)},
			`{"decision":"ask"}`, "b"},
		{"a guard asks", []Reply{guard("g", `{"decision":"ask"}`)}, `{"decision":"ask"}`, "g"},
		{"a guard cannot allow", []Reply{guard("g", `{"decision":"allow"}`)}, ``, ""},
		{"deny", []Reply{body("a", `{"decision":"deny","reason":"no"}`), body("b", rewrite)},
			`{"block":true,"message":"no"}`, ""},
		{"in another agent's word", []Reply{body("a", `{"decision":"block","reason":"no"}`)},
			`{"block":true,"message":"no"}`, ""},
		{"deny without a reason", []Reply{body("a", `{"decision":"deny"}`)},
			`{"block":true,"message":"blocked by plugin \"a\""}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, _ := Fold(hookpoints.PreTool.Info(), []byte(`{"arguments":{}}`), test.replies)
			if string(got.Answer) != test.answer || got.DecidedBy != test.by {
				t.Errorf("answer %s by %q, want %s", got.Answer, got.DecidedBy, test.answer)
			}
		})
	}
}

func body(from, text string) Reply  { return Reply{From: from, Body: []byte(text)} }
func guard(from, text string) Reply { return Reply{From: from, Guard: true, Body: []byte(text)} }
