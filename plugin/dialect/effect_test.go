package dialect_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/plugin/dialect"
)

// TestVerdictsBeforeATool are the rows of how programs end before a tool runs, and what that
// means to each agent: go (the call runs), err (it runs, and the hook has failed), and the
// decisions.
func TestVerdictsBeforeATool(t *testing.T) {
	const (
		hookOutput = `{"hookSpecificOutput":{"hookEventName":"PreToolUse",` +
			`"permissionDecision":"deny","permissionDecisionReason":"no"}}`
		allow = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`
	)
	agents := []string{"claude"}
	for _, row := range []struct {
		name   string
		out    dialect.Outcome
		stdout string
		want   string // for each agent
	}{
		{name: "text", stdout: "hello", want: "go"},
		{name: "broken JSON", stdout: `{"decision":`, want: "go"},
		{name: "deny", stdout: hookOutput, want: "DENY"},
		{name: "deny without a reason", stdout: strings.Replace(hookOutput, `"no"`, `""`, 1), want: "DENY"},
		{name: "deny without hookEventName",
			stdout: strings.Replace(hookOutput, `"hookEventName":"PreToolUse",`, "", 1), want: "err"},
		{name: "deny with an unknown key", stdout: strings.Replace(hookOutput, `:{`, `:{"more":1,`, 1), want: "DENY"},
		{name: "ask", stdout: strings.Replace(hookOutput, `"deny"`, `"ask"`, 1), want: "ASK"},
		{name: "block", stdout: `{"decision":"block","reason":"no"}`, want: "DENY"},
		{name: "decision deny", stdout: `{"decision":"deny","reason":"no"}`, want: "go"},
		{name: "continue false", stdout: `{"continue":false}`, want: "HALT"},
		{name: "permission deny", stdout: `{"permission":"deny"}`, want: "go"},
		{name: "permissionDecision at the top", stdout: `{"permissionDecision":"deny"}`, want: "go"},
		{name: "block true", stdout: `{"block":true}`, want: "go"},
		{name: "1, text", out: dialect.Outcome{Exit: 1, Stderr: "oh"}, want: "err"},
		{name: "1, deny", out: dialect.Outcome{Exit: 1}, stdout: hookOutput, want: "DENY"},
		{name: "2, text", out: dialect.Outcome{Exit: 2, Stderr: "oh"}, want: "DENY"},
		{name: "2, silent", out: dialect.Outcome{Exit: 2}, want: "DENY"},
		{name: "2, allow", out: dialect.Outcome{Exit: 2}, stdout: allow, want: "DENY"},
		{name: "2, JSON on standard error", out: dialect.Outcome{Exit: 2, Stderr: hookOutput}, want: "DENY"},
		{name: "3", out: dialect.Outcome{Exit: 3, Stderr: "oh"}, want: "err"},
		{name: "127", out: dialect.Outcome{Exit: 127, Stderr: "oh"}, want: "err"},
		{name: "49", out: dialect.Outcome{Exit: 49, Stderr: "oh"}, want: "err"},
		{name: "a signal", out: dialect.Outcome{Signal: "SIGKILL"}, want: "err"},
		{name: "a timeout", out: dialect.Outcome{TimedOut: true}, stdout: hookOutput, want: "err"},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.out.Stdout = []byte(row.stdout)
			for i, want := range strings.Fields(row.want) {
				d, _ := dialect.ByName(agents[i])
				for _, e := range d.Events {
					if e.Kind != dialect.BeforeTool {
						continue
					}
					eff := d.Effect(e, row.out)
					if got := verdictOf(eff); got != want {
						t.Errorf("%s: %s, want %s: %+v", d.Name, got, want, eff)
					}
				}
			}
		})
	}
}

// verdictOf names what an effect means before a tool.
func verdictOf(eff dialect.Effect) string {
	switch {
	case eff.Failed != "":
		return "err"
	case eff.Halt:
		return "HALT"
	case eff.Decision != "":
		return strings.ToUpper(string(eff.Decision))
	}
	return "go"
}
