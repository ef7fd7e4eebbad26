package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// TestWhoDecidesAtAPermissionPoint: the strictest opinion counts, the first of equally
// strict ones, and what fails has none unless its failure blocks.
func TestWhoDecidesAtAPermissionPoint(t *testing.T) {
	const at = hookpoints.Name("pre_shell_exec")
	const deny, ask, allow = `{"decision":"deny","reason":"no"}`, `{"decision":"ask"}`, `{"decision":"allow"}`
	for _, test := range []struct {
		name    string
		plugins []plugin.Plugin
		verdict hookpoints.Decision
		by      string
		reason  string
		results []string
	}{
		{"nobody says anything", []plugin.Plugin{says("a", ``, at), says("b", `{"denied":false}`, at)}, "", "", "",
			[]string{"a: no opinion", "b: no opinion"}},
		{"deny beats ask beats allow", []plugin.Plugin{says("a", allow, at), says("b", ask, at), says("c", deny, at)},
			"deny", "c", "no", []string{"a: ignored", "b: ignored", "c: blocked"}},
		{"ask beats allow", []plugin.Plugin{says("a", allow, at), says("b", ask, at)}, "ask", "b", "",
			[]string{"a: ignored", "b: changed"}},
		{"the first of equally strict ones", []plugin.Plugin{says("a", allow, at), says("b", allow, at)}, "allow", "a", "",
			[]string{"a: changed", "b: ignored"}},
		{"the first denial", []plugin.Plugin{says("a", `{"denied":true,"reason":"mine"}`, at), says("b", deny, at)},
			"deny", "a", "mine", []string{"a: blocked", "b: blocked"}},
		{"a denial without a reason", []plugin.Plugin{says("a", `{"denied":true}`, at)}, "deny", "a", "",
			[]string{"a: blocked"}},
		{"denied beats the decision beside it", []plugin.Plugin{says("a", `{"denied":true,"decision":"allow"}`, at)},
			"deny", "a", "", []string{"a: blocked"}},
		{"denied: false says nothing", []plugin.Plugin{says("a", `{"denied":false,"decision":"ask"}`, at)}, "ask", "a", "",
			[]string{"a: changed"}},
		{"a failure has no opinion", []plugin.Plugin{fails("a", "", at), says("b", allow, at)}, "allow", "b", "",
			[]string{"a: failed", "b: changed"}},
		{"a failure that blocks denies", []plugin.Plugin{says("b", allow, at), fails("a", plugin.Block, at)}, "deny", "a",
			`plugin "a" failed, and its failure blocks: exit status 3`, []string{"b: ignored", "a: failed"}},
		{"an unknown decision has no opinion", []plugin.Plugin{says("a", `{"decision":"Deny"}`, at)}, "", "", "",
			[]string{"a: ignored"}},
		{"an unknown decision denies where failure blocks",
			[]plugin.Plugin{asBlock(says("a", `{"decision":"denied"}`, at))}, "deny", "a",
			`plugin "a" failed, and its failure blocks: its answer has a field with an unknown value: "decision": ` +
				`"denied" is not a decision; want "deny", "ask" or "allow"`, []string{"a: failed"}},
		{"an unknown field denies where failure blocks", []plugin.Plugin{asBlock(says("a", `{"deny":true}`, at))}, "deny",
			"a", `plugin "a" failed, and its failure blocks: pre_shell_exec has no field "deny"; ` +
				`it has "denied", "decision", "reason", "system_message"`,
			[]string{"a: failed"}},
		{"an unknown field beside a denial", []plugin.Plugin{asBlock(says("a", `{"denied":true,"code":7}`, at))}, "deny",
			"a", "", []string{"a: blocked"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l log
			answer := fire(t, l.host(test.plugins...), hookpoints.PreShellExec, hookpoints.PreShellExecPayload{
				FinalCall: hookpoints.FinalCall{Arguments: json.RawMessage("{}")}})
			if answer.Verdict() != test.verdict || answer.DecidedBy != test.by || answer.Reason != test.reason {
				t.Errorf("got %+v", answer)
			}
			if diff := cmp.Diff(test.results, l.results()); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnUnknownDecisionIsSaid(t *testing.T) {
	var l log
	fire(t, l.host(says("a", `{"decision":"maybe"}`, "pre_file_read")), hookpoints.PreFileRead,
		hookpoints.PreFileReadPayload{FinalCall: hookpoints.FinalCall{Arguments: json.RawMessage("{}")}})
	want := []string{`plugin "a" at pre_file_read: its answer has a field with an unknown value: "decision": "maybe" is ` +
		`not a decision; want "deny", "ask" or "allow"; ignored`}
	if diff := cmp.Diff(want, l.notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
}

// TestACallThatAPluginCouldNotSeeIsDenied unless the person lets such calls pass: padding
// must not get a command past a guard.
func TestACallThatAPluginCouldNotSeeIsDenied(t *testing.T) {
	for _, test := range []struct {
		failure plugin.Failure
		err     error
		want    hookpoints.Decision
	}{{"", nil, "deny"}, {"", errors.New("exit status 1"), "deny"}, {plugin.Ignore, nil, ""}} {
		p := plugin.Plugin{Name: "guard", Hooks: []hookpoints.Name{"pre_fetch_url"}, OnFailure: test.failure,
			Handler: plugin.HandlerFunc(func(context.Context, plugin.Event) (plugin.Answer, error) {
				return plugin.Answer{Unread: true}, test.err
			})}
		answer := fire(t, (&log{}).host(p), hookpoints.PreFetchURL, hookpoints.PreFetchURLPayload{
			FinalCall: hookpoints.FinalCall{Arguments: json.RawMessage("{}")}})
		if answer.Verdict() != test.want {
			t.Errorf("on_failure %q, %v: got %+v", test.failure, test.err, answer)
		}
	}
}
