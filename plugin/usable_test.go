package plugin_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// answered fires a point at one plugin, and returns the combined answer.
func answered(t *testing.T, l *log, p plugin.Plugin) string {
	t.Helper()
	info, _ := hookpoints.Find(p.Hooks[0])
	answer, err := plugin.FireJSON(t.Context(), l.host(p), info, []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

// TestAnAnswerThatCannotBeUsedIsReported, and blocks where failure blocks: it may have been
// meant as a refusal.
func TestAnAnswerThatCannotBeUsedIsReported(t *testing.T) {
	const wrong, unknown = "its answer has a field of the wrong type: ", "its answer has a field with an unknown value: "
	for _, test := range []struct {
		point        hookpoints.Name
		answer, said string
	}{
		{"pre_tool", `{"arguments":true}`, wrong + "arguments: must be an object, is a boolean"},
		{"pre_tool", `{"arguments":[{}]}`, wrong + "arguments: must be an object, is an array"},
		{"pre_tool", `{"arguments":"{}","context":"c"}`, wrong + "arguments: must be an object, is a string"},
		{"pre_tool", `{"context":"c","arguments":7,"ok":1}`, wrong + "arguments: must be an object, is a number"},
		{"pre_tool", `{"decision":""}`, unknown + `"decision": "" is not a decision; want "deny", "ask" or "allow"`},
		{"pre_tool", `{"denied":1}`, wrong + "denied: must be a boolean, is a number"},
		{"pre_shell_exec", `{"decision":""}`, unknown + `"decision": "" is not a decision; want "deny", "ask" or "allow"`},
		{"pre_shell_exec", `{"block":"yes"}`, wrong + "block: must be a boolean, is a string"},
		{"pre_message", `{"decision":""}`, unknown + `"decision": "" is not a decision here; want "deny"`},
		{"pre_message", `{"decision":"ask"}`, unknown + `"decision": "ask" is not a decision here; want "deny"`},
		{"pre_message", `{"decision":true}`, unknown + `"decision": JSON value must be string type`},
		{"pre_compact", `{"reason":7}`, wrong + "reason: must be a string, is a number"},
	} {
		var l log
		if answer := answered(t, &l, says("p", test.answer, test.point)); answer != "" {
			t.Errorf("%s: %s: answer %s, want none", test.point, test.answer, answer)
		}
		want := []string{`plugin "p" at ` + string(test.point) + ": " + test.said + "; ignored"}
		if diff := cmp.Diff(want, l.notices); diff != "" {
			t.Errorf("%s: notices (-want +got):\n%s", test.answer, diff)
		}
		answer := answered(t, &log{}, asBlock(says("p", test.answer, test.point)))
		if !strings.Contains(answer, `:true`) || !strings.Contains(answer, "failed, and its failure blocks: its answer") {
			t.Errorf("%s: %s: where failure blocks the answer is %s", test.point, test.answer, answer)
		}
	}
	var l log
	answered(t, &l, says("p", `{"request_body":[1]}`, "pre_api_request"))
	if want := wrong + "request_body: must be an object, is an array; ignored"; len(l.notices) != 1 ||
		!strings.HasSuffix(l.notices[0], want) {
		t.Errorf("notices %q, want %s", l.notices, want)
	}
}

// TestARefusalStandsWhateverIsBesideIt: what cannot be used is noted.
func TestARefusalStandsWhateverIsBesideIt(t *testing.T) {
	for _, test := range []struct {
		point             hookpoints.Name
		said, want, notes string
	}{
		{"pre_tool", `{"block":true,"message":"no","arguments":true}`, `{"block":true,"message":"no"}`,
			"its answer has a field of the wrong type: arguments: must be an object, is a boolean"},
		{"pre_tool", `{"denied":true,"reason":["no"],"message":"m"}`, `{"block":true,"message":"m"}`,
			"its answer has a field of the wrong type: reason: must be a string, is an array"},
		{"pre_tool", `{"block":true,"message":"no","arguments":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`,
			`{"block":true,"message":"no"}`,
			"its answer has a field of the wrong type: arguments: must be an object, is an array"},
		{"pre_tool", `{"denied":true,"decision":"maybe"}`, `{"block":true,"message":"blocked by plugin \"p\""}`,
			`its answer has a field with an unknown value: "decision": "maybe" is not a decision; want "deny", "ask" ` +
				`or "allow"`},
		{"pre_shell_exec", `{"block":true,"denied":"no","message":"m"}`, `{"denied":true,"reason":"m"}`,
			"its answer has a field of the wrong type: denied: must be a boolean, is a string"},
		{"pre_message", `{"decision":"deny","reason":"no","why":"x"}`, `{"block":true,"message":"no"}`,
			`pre_message has no field "why"; it has "prompt", "block", "halt", "message", "context", "system_message"`},
	} {
		for _, p := range []plugin.Plugin{says("p", test.said, test.point), asBlock(says("p", test.said, test.point))} {
			var l log
			if answer := answered(t, &l, p); answer != test.want {
				t.Errorf("%s: %.60s: answer %s, want %s", test.point, test.said, answer, test.want)
			}
			if r := l.records[0]; r.Result != plugin.Blocked || !r.Blocks || string(r.Answer) != test.said {
				t.Errorf("%s: %.60s: %s, blocks %v, answer %s", test.point, test.said, r.Result, r.Blocks, r.Answer)
			}
			if diff := cmp.Diff([]string{test.notes}, l.records[0].Notes); diff != "" || len(l.notices) > 0 {
				t.Errorf("%s: %.60s: notices %q, notes (-want +got):\n%s", test.point, test.said, l.notices, diff)
			}
		}
	}
}

// TestAByteOrderMarkBeforeAnAnswerIsSkipped: PowerShell writes one.
func TestAByteOrderMarkBeforeAnAnswerIsSkipped(t *testing.T) {
	for _, answer := range []string{"\ufeff{\"block\":true}", " \ufeff\r\n{\"block\":true}\r\n"} {
		var l log
		if got := answered(t, &l, says("p", answer, preTool)); !strings.HasPrefix(got, `{"block":true`) || l.notices != nil {
			t.Errorf("%q: answer %s, notices %q", answer, got, l.notices)
		}
	}
	for _, none := range []string{"\ufeff", "\ufeff \n", "\ufeff{}"} {
		var l log
		if got := answered(t, &l, says("p", none, preTool)); got != "" || l.notices != nil {
			t.Errorf("%q: answer %s, notices %q", none, got, l.notices)
		}
	}
}
