package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
)

// bash is a call in Claude Code's words.
const bash = `{"session_id":"s","transcript_path":"/t","cwd":"/p","permission_mode":"default",` +
	`"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls","timeout":1500,"description":"x"},` +
	`"tool_use_id":"c1","newer":{"a":1}}`

func TestAPayloadOfAnAgentIsAMoment(t *testing.T) {
	claude, _ := engine.ByName("claude")
	event, _ := claude.Event("PreToolUse")
	m, err := claude.Moment(event, []byte(bash))
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[engine.Value]string{
		engine.Session: "s", engine.ToolName: "shell_exec", engine.ToolCategory: "shell",
		engine.ToolSubject: "command", engine.CallID: "c1", engine.PermissionMode: "default",
	} {
		if m.Text(value) != want {
			t.Errorf("%s is %q, want %q", value, m.Text(value), want)
		}
	}
	if got := string(m.Values[engine.ToolInput]); got != `{"command":"ls","timeout_secs":2,"description":"x"}` {
		t.Errorf("the arguments are %s", got)
	}
	if got := string(m.Extra["newer"]); got != `{"a":1}` || len(m.Extra) != 2 {
		t.Errorf("further members are %s", m.Extra)
	}
	changed := claude.Theirs(m, json.RawMessage(`{"command":"ls -l","timeout_secs":2,"description":"x"}`))
	if string(changed) != `{"command":"ls -l","timeout":1500,"description":"x"}` {
		t.Errorf("changed, they are %s", changed)
	}
}

func TestAnAnswerToAnAgent(t *testing.T) {
	claude, _ := engine.ByName("claude")
	event, _ := claude.Event("PreToolUse")
	m, _ := claude.Moment(event, []byte(bash))
	for name, test := range map[string]struct {
		effect engine.Effect
		want   string // the answer
		lost   string // "; " between sentences
	}{
		"nothing": {},
		"deny": {effect: engine.Effect{Decision: hookpoints.DecisionDeny, Reason: "no", Input: json.RawMessage(`{}`)},
			want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse",` +
				`"permissionDecision":"deny","permissionDecisionReason":"no"}}`},
		"ask": {effect: engine.Effect{Decision: hookpoints.DecisionAsk, Reason: "sure?"},
			want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse",` +
				`"permissionDecision":"ask","permissionDecisionReason":"sure?"}}`},
		"a rewrite approves nothing": {effect: engine.Effect{Input: json.RawMessage(`{"command":"pwd"}`)},
			want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"pwd"}}}`},
		"halt": {effect: engine.Effect{Halt: true, HaltReason: "stop"},
			want: `{"continue":false,"stopReason":"stop","hookSpecificOutput":{"hookEventName":"PreToolUse",` +
				`"permissionDecision":"deny","permissionDecisionReason":"stop"}}`},
		"what it cannot": {effect: engine.Effect{Output: new(string)},
			lost: "Claude Code cannot replace the result of Bash at PreToolUse"},
	} {
		t.Run(name, func(t *testing.T) {
			out := claude.Output(event, m, test.effect)
			if string(out.Stdout) != test.want || strings.Join(out.Lost, "; ") != test.lost || out.Exit != 0 {
				t.Errorf("%+v: %s", out, out.Stdout)
			}
		})
	}
}

func TestMatchersOfClaudeCode(t *testing.T) {
	claude, _ := engine.ByName("claude")
	event, _ := claude.Event("PreToolUse")
	for matcher, want := range map[string]bool{
		"": true, "*": true, "Bash": true, "bash": false, "Ba": false, "Bas-h": false, "Bash Edit": false,
		"Ba.*": true, "^Bash$": true, "Bash, Edit": true, "Edit|Bash": true, "Edit|Write": false, "(": false,
	} {
		matches, err := claude.Matches(event, matcher)
		if got := matches("Bash"); got != want || (err != nil) != (matcher == "(") {
			t.Errorf("%q: %t, %v", matcher, got, err)
		}
	}
}
