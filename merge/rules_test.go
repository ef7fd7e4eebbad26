package merge_test

import (
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/merge"
	"github.com/google/go-cmp/cmp"
)

// point makes a point of one field with a rule, "it", and a field that belongs to
// it, "beside".
func point(mode hookpoints.Mode, rule hookpoints.Rule) hookpoints.Info {
	return hookpoints.Info{Name: "p", Mode: mode, Fields: []hookpoints.AnswerField{
		{Name: "it", Rule: rule}, {Name: "beside", Rule: hookpoints.RuleWith, With: "it"},
	}}
}

// TestRules has at least one case for each rule that the documentation lists.
func TestRules(t *testing.T) {
	const payload = `{"it":{"a":1,"b":1},"names":["x","y"]}`
	for _, test := range []struct {
		name     string
		mode     hookpoints.Mode
		rule     hookpoints.Rule
		bodies   []string // of p0, p1, ...
		answer   string
		payload  string
		outcomes []merge.Outcome
	}{
		{
			"replace: the next plugin receives the new value", hookpoints.Chain, hookpoints.RuleReplace,
			[]string{`{"it":{"a":2}}`, `{"it":{"a":2,"c":3},"beside":"why"}`},
			`{"it":{"a":2,"c":3},"beside":"why"}`, `{"it":{"a":2,"c":3},"names":["x","y"]}`, outcomes("changed", "changed"),
		},
		{
			"replace: an equal value is no change", hookpoints.Chain, hookpoints.RuleReplace,
			[]string{`{"it":{"b":1.0,"a":1}}`}, ``, payload, outcomes(""),
		},
		{
			"replace: what goes with it is said by the last that changed it", hookpoints.Chain, hookpoints.RuleReplace,
			[]string{`{"it":1,"beside":"no"}`, `{"it":2,"beside":"why"}`, `{"it":2}`, `{"it":2.0,"beside":"late"}`},
			`{"it":2,"beside":"why"}`, `{"it":2,"names":["x","y"]}`, outcomes("changed", "changed", "", ""),
		},
		{
			"replace: or by nobody, if that one says nothing", hookpoints.Chain, hookpoints.RuleReplace,
			[]string{`{"it":1,"beside":"why"}`, `{"it":2}`, `{"it":2,"beside":"late"}`},
			`{"it":2}`, `{"it":2,"names":["x","y"]}`, outcomes("changed", "changed", ""),
		},
		{
			"patch: what goes with it is said by the last that changed it", hookpoints.Chain, hookpoints.RulePatch,
			[]string{`{"it":{"a":2},"beside":"why"}`, `{"it":{"a":2,"b":1},"beside":"late"}`},
			`{"it":{"a":2,"b":1},"beside":"why"}`, `{"it":{"a":2,"b":1},"names":["x","y"]}`, outcomes("changed", ""),
		},
		{
			"patch: objects merge deeply, null deletes", hookpoints.Chain, hookpoints.RulePatch,
			[]string{`{"it":{"a":null,"c":{"d":1}}}`, `{"it":{"c":{"e":2}}}`},
			`{"it":{"b":1,"c":{"d":1,"e":2}}}`, `{"it":{"b":1,"c":{"d":1,"e":2}},"names":["x","y"]}`,
			outcomes("changed", "changed"),
		},
		{
			"patch: what is changed back is no change", hookpoints.Chain, hookpoints.RulePatch,
			[]string{`{"it":{"a":2,"c":3}}`, `{"it":{"a":1,"c":null}}`}, ``, payload, outcomes("changed", "changed"),
		},
		{
			"patch: it must be an object", hookpoints.Chain, hookpoints.RulePatch,
			[]string{`{"it":[1]}`}, ``, payload, outcomes("ignored"),
		},
		{
			"block: the first in plugin order wins and ends the point", hookpoints.Chain, hookpoints.RuleBlock,
			[]string{`{"it":false}`, `{"it":true,"beside":"no"}`, `{"it":true,"beside":"never"}`},
			`{"it":true,"beside":"no"}`, payload, outcomes("", "blocked", ""),
		},
		{
			"block: where all are asked at once the others are told", hookpoints.Gather, hookpoints.RuleBlock,
			[]string{`{"it":true}`, `{"it":true,"beside":"never"}`},
			`{"it":true,"beside":"blocked by plugin \"p0\""}`, payload, outcomes("blocked", "blocked"),
		},
		{
			"claim: nobody else is asked", hookpoints.Claim, hookpoints.RuleClaim,
			[]string{`{"it":false}`, `{"it":true}`, `{"it":true}`},
			`{"it":true,"beside":"p1"}`, payload, outcomes("", "claimed", ""),
		},
		{
			"intersect: only what every plugin names", hookpoints.Gather, hookpoints.RuleIntersect,
			[]string{`{"it":["x","y"]}`, `{}`, `{"it":["y","z"]}`}, `{"it":["y"]}`, payload, outcomes("changed", "", "changed"),
		},
		{
			"intersect: an empty list keeps nothing", hookpoints.Gather, hookpoints.RuleIntersect,
			[]string{`{"it":["x"]}`, `{"it":[]}`}, `{"it":[]}`, payload, outcomes("changed", "changed"),
		},
		{
			"unite: what any plugin names", hookpoints.Gather, hookpoints.RuleUnite,
			[]string{`{"it":["x"]}`, `{"it":["y","x"]}`}, `{"it":["x","y"]}`, payload, outcomes("changed", "changed"),
		},
		{
			"join: in plugin order, a blank line between", hookpoints.Gather, hookpoints.RuleJoin,
			[]string{`{"it":"one"}`, `{"it":""}`, `{"it":"two"}`}, `{"it":"one\n\ntwo"}`, payload,
			outcomes("changed", "", "changed"),
		},
		{
			"append: in plugin order", hookpoints.Gather, hookpoints.RuleAppend,
			[]string{`{"it":[1,{"a":2}]}`, `{"it":[3]}`}, `{"it":[1,{"a":2},3]}`, payload, outcomes("changed", "changed"),
		},
		{
			"first: the first that is not empty, the others are reported", hookpoints.Gather, hookpoints.RuleFirst,
			[]string{`{"it":""}`, `{"it":"one","beside":1}`, `{"it":"two","beside":2}`}, `{"it":"one","beside":1}`, payload,
			outcomes("", "changed", "ignored"),
		},
		{
			"strictest: deny, then ask, then allow", hookpoints.Gather, hookpoints.RuleStrictest,
			[]string{`{"it":"allow","beside":"a"}`, `{"it":"deny","beside":"no"}`, `{"it":"ask","beside":"b"}`, `{}`},
			`{"it":"deny","beside":"no"}`, payload, outcomes("ignored", "blocked", "ignored", ""),
		},
		{
			"strictest: true is deny, the first of equals wins", hookpoints.Gather, hookpoints.RuleStrictest,
			[]string{`{"it":false}`, `{"it":true}`, `{"it":"deny","beside":"no"}`}, `{"it":"deny"}`, payload,
			outcomes("", "blocked", "blocked"),
		},
		{
			"with: says nothing alone", hookpoints.Gather, hookpoints.RuleFirst,
			[]string{`{"beside":1}`}, ``, payload, outcomes(""),
		},
		{
			"observe: nothing has an effect", hookpoints.Observe, hookpoints.RuleFirst,
			[]string{`{"it":1}`, `{"block":false}`, `{"block":true}`}, ``, payload, outcomes("", "", "ignored"),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, final := merge.Fold(point(test.mode, test.rule), []byte(payload), repliesOf(test.bodies))
			if string(got.Answer) != test.answer || string(final) != test.payload {
				t.Errorf("answer %s\nwant   %s\npayload %s\nwant    %s", got.Answer, test.answer, final, test.payload)
			}
			var came []merge.Outcome
			for _, e := range got.Effects {
				came = append(came, e.Outcome)
			}
			if diff := cmp.Diff(test.outcomes, came); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
		})
	}
}

func outcomes(list ...merge.Outcome) []merge.Outcome { return list }

// repliesOf are the replies of p0, p1, ...
func repliesOf(bodies []string) (replies []merge.Reply) {
	for i, body := range bodies {
		replies = append(replies, merge.Reply{From: "p" + string(rune('0'+i)), Body: []byte(body)})
	}
	return replies
}

// TestGuardsOnlyBlock: whatever else a guard answers has no effect, at any rule.
func TestGuardsOnlyBlock(t *testing.T) {
	info := hookpoints.PostTurn.Info()
	guard := merge.Reply{From: "guard", Guard: true,
		Body: []byte(`{"recipe":"theirs","recipe_args":{"a":1},"messages":[]}`)}
	got, _ := merge.Fold(info, []byte(`{"messages":[{"role":"user","content":"hi"}]}`), []merge.Reply{
		{From: "p", Body: []byte(`{"recipe":"mine"}`)}, guard,
	})
	if want := `{"recipe":"mine"}`; string(got.Answer) != want {
		t.Errorf("answer %s, want %s", got.Answer, want)
	}
	want := []merge.Note{{Text: "it is a guard here and may only block", Ignored: true}}
	if diff := cmp.Diff(want, got.Effects[1].Notes); diff != "" || got.Effects[1].Outcome != merge.Ignored {
		t.Errorf("the guard's outcome is %q, its notes (-want +got):\n%s", got.Effects[1].Outcome, diff)
	}
}

// TestRewritesOfManyPlugins tells each loser whose value stands where its own stood.
func TestRewritesOfManyPlugins(t *testing.T) {
	got, _ := merge.Fold(point(hookpoints.Chain, hookpoints.RulePatch), []byte(`{"it":{}}`), repliesOf([]string{
		`{"it":{"a":1,"b":1}}`, `{"it":{"a":2}}`, `{"it":{"b":1,"c":{"d":1}}}`, `{"it":{"c":null}}`,
	}))
	var lost []merge.Conflict
	for _, e := range got.Effects {
		lost = append(lost, e.Lost...)
	}
	want := []merge.Conflict{{Path: "/it/a", Winner: "p1", Loser: "p0"}, {Path: "/it/c", Winner: "p3", Loser: "p2"}}
	if diff := cmp.Diff(want, lost); diff != "" || string(got.Answer) != `{"it":{"a":2,"b":1}}` {
		t.Errorf("answer %s, lost (-want +got):\n%s", got.Answer, diff)
	}
}

// TestEveryOtherOpinionIsReported: a plugin whose decision is not used is told whose is.
func TestEveryOtherOpinionIsReported(t *testing.T) {
	got, _ := merge.Fold(hookpoints.PreShellExec.Info(), []byte(`{}`), repliesOf([]string{
		`{"decision":"allow"}`, `{"decision":"ask","reason":"look"}`, `{"decision":"ask"}`,
	}))
	const answer = `{"decision":"ask","reason":"look"}`
	if string(got.Answer) != answer || got.DecidedBy != "p1" || got.BlockedBy != "" {
		t.Errorf("answer %s of %q, blocked by %q; want %s", got.Answer, got.DecidedBy, got.BlockedBy, answer)
	}
	var notes [][]merge.Note
	for _, e := range got.Effects {
		notes = append(notes, e.Notes)
	}
	want := [][]merge.Note{{{Text: `its decision "allow" is not used, as plugin "p1" decides "ask"`}}, nil,
		{{Text: `plugin "p1" came first with the same decision "ask"`}}}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	lost := []merge.Conflict{{Path: "/decision", Winner: "p1", Loser: "p0"}}
	if diff := cmp.Diff(lost, got.Effects[0].Lost); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
}
