package engine_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents/engine"
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
	events := []string{"claude PreToolUse", "codex PreToolUse", "copilot preToolUse", "copilot PreToolUse",
		"crush PreToolUse", "cursor preToolUse", "gemini BeforeTool", "qwen PreToolUse"}
	for _, row := range []struct {
		name   string
		out    engine.Outcome
		stdout string
		want   string // for each of events
	}{
		{name: "text", stdout: "hello", want: "go go go go go err go go"},
		{name: "broken JSON", stdout: `{"decision":`, want: "go err go go go err go go"},
		{name: "deny", stdout: hookOutput, want: "DENY DENY go DENY DENY go go DENY"},
		{name: "deny without a reason", stdout: strings.Replace(hookOutput, `"no"`, `""`, 1),
			want: "DENY err go DENY DENY go go DENY"},
		{name: "deny without hookEventName",
			stdout: strings.Replace(hookOutput, `"hookEventName":"PreToolUse",`, "", 1),
			want:   "err err go DENY DENY go go DENY"},
		{name: "deny with an unknown key", stdout: strings.Replace(hookOutput, `:{`, `:{"more":1,`, 1),
			want: "DENY err go DENY DENY go go DENY"},
		{name: "ask", stdout: strings.Replace(hookOutput, `"deny"`, `"ask"`, 1), want: "ASK err go ASK go go go ASK"},
		{name: "block", stdout: `{"decision":"block","reason":"no"}`, want: "DENY DENY go go go go DENY DENY"},
		{name: "decision deny", stdout: `{"decision":"deny","reason":"no"}`, want: "go err go go DENY go DENY DENY"},
		{name: "continue false", stdout: `{"continue":false}`, want: "HALT err go go go go HALT DENY"},
		{name: "permission deny", stdout: `{"permission":"deny"}`, want: "go err go go go DENY go go"},
		{name: "permissionDecision at the top", stdout: `{"permissionDecision":"deny"}`,
			want: "go err DENY DENY go go go go"},
		{name: "block true", stdout: `{"block":true}`, want: "go err go go go go go go"},
		{name: "1, text", out: engine.Outcome{Exit: 1, Stderr: "oh"}, want: "err err DENY DENY err err go err"},
		{name: "1, deny", out: engine.Outcome{Exit: 1}, stdout: hookOutput, want: "DENY err DENY DENY err err go DENY"},
		{name: "2, text", out: engine.Outcome{Exit: 2, Stderr: "oh"}, want: "DENY DENY DENY DENY DENY DENY DENY DENY"},
		{name: "2, silent", out: engine.Outcome{Exit: 2}, want: "DENY err DENY DENY DENY DENY go err"},
		{name: "2, allow", out: engine.Outcome{Exit: 2}, stdout: allow, want: "DENY err DENY DENY DENY DENY go err"},
		{name: "2, allow in the words of most", out: engine.Outcome{Exit: 2}, stdout: `{"decision":"allow"}`,
			want: "DENY err DENY DENY DENY DENY go err"},
		{name: "2, JSON on standard error", out: engine.Outcome{Exit: 2, Stderr: hookOutput},
			want: "DENY DENY DENY DENY DENY DENY go DENY"},
		{name: "3", out: engine.Outcome{Exit: 3, Stderr: "oh"}, want: "err err DENY DENY err err DENY err"},
		{name: "127", out: engine.Outcome{Exit: 127, Stderr: "oh"}, want: "err err DENY DENY err err DENY err"},
		{name: "49", out: engine.Outcome{Exit: 49, Stderr: "oh"}, want: "err err DENY DENY HALT err DENY err"},
		{name: "a signal", out: engine.Outcome{Signal: "SIGKILL"}, want: "err err DENY DENY err err go err"},
		{name: "a timeout", out: engine.Outcome{TimedOut: true}, stdout: hookOutput,
			want: "err err err err err err err err"},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.out.Stdout = []byte(row.stdout)
			for i, want := range strings.Fields(row.want) {
				agent, event, _ := strings.Cut(events[i], " ")
				d, _ := engine.ByName(agent)
				e, _ := d.Event(event)
				eff := d.Effect(e, row.out)
				if got := verdictOf(eff); got != want {
					t.Errorf("%s: %s, want %s: %+v", events[i], got, want, eff)
				}
			}
		})
	}
}

// verdictOf names what an effect means before a tool.
func verdictOf(eff engine.Effect) string {
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
