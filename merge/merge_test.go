package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/merge"
	"github.com/google/go-cmp/cmp"
)

func TestEqual(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true},
		{`100`, `1e2`, true},
		{`0`, `-0.0e5`, true},
		{`1`, `-1`, false},
		{`9007199254740993`, `9007199254740992`, false},
		{`1e999999999999`, `1e999999999998`, false},
		{`1e999999999999`, `1e999999999999`, true},
		{`"a"`, `"\u0061"`, true},
		{`"1"`, `1`, false},
		{`{"a":1,"b":[1,2]}`, ` { "b" : [1, 2.0], "a": 1 } `, true},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`null`, `null`, true},
		{`true`, `false`, false},
		{`{}`, `[]`, false},
		{`{"a":1,"a":2}`, `{"a":2}`, true},
		{`nonsense`, `nonsense`, false},
	} {
		if got := merge.Equal([]byte(test.a), []byte(test.b)); got != test.want {
			t.Errorf("Equal(%s, %s) = %v", test.a, test.b, got)
		}
	}
}

func TestDiff(t *testing.T) {
	for _, test := range []struct {
		name, before, after string
		want                []string
	}{
		{"equal", `{"a":1}`, `{"a":1.0}`, nil},
		{"deepest place", `{"a":{"b":1,"c":2}}`, `{"a":{"b":1,"c":3}}`, []string{"/a/c"}},
		{"added and removed", `{"a":1}`, `{"b":1}`, []string{"/a", "/b"}},
		{"arrays are atoms", `{"a":[{"b":1}]}`, `{"a":[{"b":2}]}`, []string{"/a"}},
		{"escaped", `{}`, `{"a/b":1,"c~d":2}`, []string{"/a~1b", "/c~0d"}},
		{"the whole", `1`, `2`, []string{""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, d := range merge.Diff([]byte(test.before), []byte(test.after)) {
				got = append(got, d.Path)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("paths (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzDiff(f *testing.F) {
	f.Add([]byte(`{"a":1}`), []byte(`{"a":2}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		fuzztest.Memory(t)
		if !merge.Equal(a, a) || !merge.Equal(b, b) {
			return // one of them is not JSON
		}
		if equal, paths := merge.Equal(a, b), merge.Diff(a, b); equal != (len(paths) == 0) {
			t.Errorf("Equal(%s, %s) = %v, but Diff = %q", a, b, equal, paths)
		}
	})
}

func TestChainConflicts(t *testing.T) {
	type step struct{ from, op, value string }
	for _, test := range []struct {
		name  string
		doc   string
		steps []step
		want  string
		lost  []merge.Conflict
	}{
		{
			"different places", `{"x":{"a":1,"b":1}}`,
			[]step{{"p", "patch", `{"a":2}`}, {"q", "patch", `{"b":2}`}}, `{"x":{"a":2,"b":2}}`, nil,
		},
		{
			"the same place", `{"x":{"a":1}}`,
			[]step{{"p", "patch", `{"a":2}`}, {"q", "patch", `{"a":3}`}}, `{"x":{"a":3}}`,
			[]merge.Conflict{{Path: "/x/a", Winner: "q", Loser: "p"}},
		},
		{
			"the same value", `{"x":{"a":1}}`,
			[]step{{"p", "patch", `{"a":2}`}, {"q", "patch", `{"a":2.0}`}}, `{"x":{"a":2}}`, nil,
		},
		{
			"back to the first value", `{"x":{"a":1}}`,
			[]step{{"p", "patch", `{"a":2}`}, {"q", "patch", `{"a":1}`}}, `{"x":{"a":1}}`,
			[]merge.Conflict{{Path: "/x/a", Winner: "q", Loser: "p"}},
		},
		{
			"below what another one set", `{"x":{}}`,
			[]step{{"p", "patch", `{"a":{"b":1,"c":1}}`}, {"q", "patch", `{"a":{"b":2}}`}}, `{"x":{"a":{"b":2,"c":1}}}`,
			[]merge.Conflict{{Path: "/x/a/b", Winner: "q", Loser: "p"}},
		},
		{
			"beside what another one set", `{"x":{}}`,
			[]step{{"p", "patch", `{"a":{"b":1}}`}, {"q", "patch", `{"a":{"c":2}}`}}, `{"x":{"a":{"b":1,"c":2}}}`, nil,
		},
		{
			"beside what another one set, and then that", `{"x":{}}`,
			[]step{{"p", "patch", `{"a":{"b":1}}`}, {"q", "patch", `{"a":{"c":2}}`}, {"r", "patch", `{"a":{"b":3}}`}},
			`{"x":{"a":{"b":3,"c":2}}}`, []merge.Conflict{{Path: "/x/a/b", Winner: "r", Loser: "p"}},
		},
		{
			"deleting what another one set", `{"x":{}}`,
			[]step{{"p", "patch", `{"a":1}`}, {"q", "patch", `{"a":null}`}}, `{"x":{}}`,
			[]merge.Conflict{{Path: "/x/a", Winner: "q", Loser: "p"}},
		},
		{
			"a whole value counts only where it differs", `{"x":{"a":1,"b":1}}`,
			[]step{{"p", "replace", `{"a":2,"b":1}`}, {"q", "replace", `{"b":2,"a":2}`}}, `{"x":{"b":2,"a":2}}`, nil,
		},
		{
			"a text that was added to", `{"x":"hello"}`,
			[]step{{"p", "replace", `"hello you"`}, {"q", "replace", `"oh, hello you"`}}, `{"x":"oh, hello you"}`, nil,
		},
		{
			"a text that was replaced", `{"x":"hello"}`,
			[]step{{"p", "replace", `"hello you"`}, {"q", "replace", `"bye"`}}, `{"x":"bye"}`,
			[]merge.Conflict{{Path: "/x", Winner: "q", Loser: "p"}},
		},
		{
			"one's own value", `{"x":{}}`,
			[]step{{"p", "patch", `{"a":1}`}, {"p", "patch", `{"a":2}`}}, `{"x":{"a":2}}`, nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := merge.NewChain([]byte(test.doc))
			for _, s := range test.steps {
				apply := c.Patch
				if s.op == "replace" {
					apply = c.Replace
				}
				apply(s.from, "x", []byte(s.value))
			}
			if diff := cmp.Diff(test.want, string(c.Doc())); diff != "" {
				t.Errorf("payload (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.lost, c.Conflicts()); diff != "" {
				t.Errorf("conflicts (-want +got):\n%s", diff)
			}
		})
	}
}

// rewriting is a point whose answers replace x, patch y and may block.
var rewriting = hookpoints.Info{Name: "rewriting", Mode: hookpoints.Chain, Fields: []hookpoints.AnswerField{
	{Name: "x", Rule: hookpoints.RuleReplace}, {Name: "y", Rule: hookpoints.RulePatch},
	{Name: "block", Rule: hookpoints.RuleBlock}, {Name: "message", Rule: hookpoints.RuleWith, With: "block"},
}}

func TestWhatIsNoJSONObjectIsIgnored(t *testing.T) {
	for _, body := range []string{`{`, `{"x":}`, `[1]`, `1`, `{"x":1}{}`} {
		got, final := merge.Fold(rewriting, []byte(`{"x":1}`), []merge.Reply{{From: "p", Body: []byte(body)}})
		if got.Answer != nil || string(final) != `{"x":1}` || got.Effects[0].Outcome != merge.Ignored {
			t.Errorf("%s: answer %s, payload %s, %+v", body, got.Answer, final, got.Effects[0])
		}
	}
}

func TestFilter(t *testing.T) {
	names := []string{"a", "b", "c"}
	lists := func(from string, names ...string) merge.Offer[[]string] {
		return merge.Offer[[]string]{From: from, Value: names}
	}
	got := merge.Filter(names,
		[]merge.Offer[[]string]{lists("p", "a", "b", "z"), lists("q", "b", "c")},
		[]merge.Offer[[]string]{lists("r", "b")})
	want := merge.Filtered{
		Removed: []merge.Removal{{Name: "a", By: []string{"q"}}, {Name: "b", Excluded: true, By: []string{"r"}},
			{Name: "c", By: []string{"p"}}},
		Unknown: []merge.Unknown{{From: "p", Name: "z"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("filtered (-want +got):\n%s", diff)
	}
}

func ExamplePatch() {
	body := []byte(`{"model":"m", "temperature":0.70, "reasoning":{"effort":"low"}}`)
	patched, err := merge.Patch(body, []byte(`{"reasoning":{"exclude":true},"model":null}`))
	fmt.Println(string(patched), err)
	// Output: { "temperature":0.70, "reasoning":{"effort":"low","exclude":true}} <nil>
}

func ExampleFold() {
	got, _ := merge.Fold(hookpoints.PreTool.Info(), []byte(`{"tool_name":"ls","arguments":{"dir":"/"}}`), []merge.Reply{
		{From: "first", Body: []byte(`{"arguments":{"dir":"/home"}}`)},
		{From: "second", Body: []byte(`{"arguments":{"dir":"/tmp","all":true}}`)},
	})
	fmt.Println(string(got.Answer))
	for _, effect := range got.Effects {
		fmt.Println(effect.Outcome, effect.Changed(), effect.Lost)
	}
	// Output:
	// {"arguments":{"dir":"/tmp","all":true}}
	// changed [/arguments/dir] [{/arguments/dir second first}]
	// changed [/arguments/dir /arguments/all] []
}

func ExampleAccumulator() {
	a := merge.New(hookpoints.PreTool.Info(), []byte(`{"tool_name":"shell","arguments":{"command":"ls"}}`))
	a.Add(merge.Reply{From: "rewriter", Body: []byte(`{"arguments":{"command":"ls -l"}}`)})
	fmt.Println(string(a.Next()))
	fmt.Println(a.Add(merge.Reply{From: "guard", Guard: true, Body: []byte(`{"block":true,"message":"no"}`)}))
	fmt.Println(string(a.Result().Answer))
	// Output:
	// {"tool_name":"shell","arguments":{"command":"ls -l"}}
	// true
	// {"block":true,"message":"no"}
}

func ExampleFilter() {
	f := merge.Filter([]string{"read", "write", "run"},
		[]merge.Offer[[]string]{{From: "a", Value: []string{"read", "write"}}},
		[]merge.Offer[[]string]{{From: "b", Value: []string{"write"}}})
	fmt.Println(strings.Join(f.Kept, ", "))
	// Output: read
}
