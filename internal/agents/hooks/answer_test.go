package hooks

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/codex"
	"github.com/chibi-host/chibi/internal/agents/crush"
	"github.com/chibi-host/chibi/internal/agents/cursor"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/gemini"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// TestWhatIsRefusedAndWhatEndsTheTurn lists what a hook's denial, its end of the turn, and both at
// once become at each point that has an answer for them. Before a tool the end says it all, as
// nothing runs then either; what cannot end the turn blocks.
func TestWhatIsRefusedAndWhatEndsTheTurn(t *testing.T) {
	const (
		blockNo   = `{"block":true,"message":"no"}`
		blockStop = `{"block":true,"message":"stop"}`
		haltNo    = `{"halt":true,"message":"no"}`
		haltStop  = `{"halt":true,"message":"stop"}`
	)
	deny := engine.Effect{Decision: hookpoints.DecisionDeny, Reason: "no"}
	halt := engine.Effect{Halt: true, HaltReason: "stop"}
	both := engine.Effect{Decision: hookpoints.DecisionDeny, Reason: "no", Halt: true, HaltReason: "stop"}
	reason := engine.Effect{Halt: true, Reason: "no"}
	for _, row := range []struct {
		at                       hookpoints.Name
		deny, halt, both, reason string
	}{
		{hookpoints.PreMessage.Name, blockNo, haltStop, blockNo, haltNo},
		{hookpoints.PreTool.Name, blockNo, haltStop, haltStop, haltNo},
		{hookpoints.PreToolOutput.Name, `{"context":"no"}`, haltStop,
			`{"context":"no","halt":true,"message":"stop"}`, haltNo},
		{hookpoints.PrePermission.Name, `{"decision":"deny","reason":"no"}`, haltStop,
			`{"decision":"deny","halt":true,"message":"stop","reason":"no"}`, haltNo},
		{hookpoints.PostToolBatch.Name, haltNo, haltStop, haltStop, haltNo},
		{hookpoints.PostTurn.Name, haltNo, haltStop, haltStop, haltNo},
		{hookpoints.PreStop.Name, `{"follow_up_messages":["no"]}`, haltStop, haltStop, haltNo},
		{hookpoints.PreCompact.Name, blockNo, blockStop, blockNo, blockNo},
		{hookpoints.PreRollingCompact.Name, blockNo, blockStop, blockNo, blockNo},
		{hookpoints.PreSpawnAgent.Name, blockNo, blockStop, blockNo, blockNo},
	} {
		for _, c := range []struct {
			says string
			eff  engine.Effect
			want string
		}{{"no", deny, row.deny}, {"stop", halt, row.halt}, {"both", both, row.both},
			{"stop, for a reason of a denial", reason, row.reason}} {
			body, notes := answerAt(engine.Dialect{}, row.at, engine.Moment{}, c.eff)
			if string(body) != c.want || len(notes) > 0 {
				t.Errorf("at %s a hook that says %s answers %s %q, want %s", row.at, c.says, body, notes, c.want)
			}
		}
	}
}

// TestAChangedPatchIsAChangedCall: a hook of Codex is shown a patch, and what it changes of it is changed in the call.
func TestAChangedPatchIsAChangedCall(t *testing.T) {
	codex := codex.Agent().Dialect()
	const begin, end = "*** Begin Patch\n*** ", "\n*** End Patch"
	for patch, want := range map[string]string{
		begin + "Update File: /p/a\n@@\n-x\n+z" + end: `{"arguments":{"path":"a","old_string":"x","new_string":"z"}}`,
		begin + "Update File: /p/a\n@@\n-x\n+y" + end: "",
		begin + "Update File: /p/b\n@@\n-x\n+y" + end: `{"arguments":{"path":"/p/b","old_string":"x","new_string":"y"}}`,
		begin + "Add File: /p/a\n+z" + end:            "",
	} {
		input, _ := strictjson.Encode(map[string]string{"command": patch})
		m := engine.Moment{Values: map[engine.Value]json.RawMessage{engine.Cwd: json.RawMessage(`"/p"`),
			engine.ToolName: json.RawMessage(`"file_edit"`), engine.ToolCategory: json.RawMessage(`"edit"`),
			engine.ToolSubject: json.RawMessage(`"path"`),
			engine.ToolInput:   json.RawMessage(`{"path":"a","old_string":"x","new_string":"y"}`)}}
		body, notes := answerAt(codex, hookpoints.PreTool.Name, m, engine.Effect{Input: input})
		if isOther := strings.Contains(patch, "Add File"); string(body) != want || isOther != (len(notes) == 1) {
			t.Errorf("%q: %s, want %s; %q", patch, body, want, notes)
		}
	}
}

// An answer is one for another agent only if the hook's own does not know it: an approval of Gemini CLI has no
// effect, and in Crush it has one.
func TestAnAnswerForAnotherAgent(t *testing.T) {
	own := gemini.Agent().Dialect()
	event, _ := own.Event("BeforeTool")
	all := func() []engine.Dialect {
		return []engine.Dialect{own, crush.Agent().Dialect(), cursor.Agent().Dialect()}
	}
	for answer, want := range map[string]string{
		`{"decision":"allow"}`:                    "",
		`{"decision":"deny","reason":"no"}`:       "",
		`{"permission":"deny"}`:                   "Cursor",
		`{"decision":"allow","updated_input":{}}`: "Crush",
	} {
		if got := Foreign(own, event, engine.Outcome{Stdout: []byte(answer)}, all); got != want {
			t.Errorf("%s: %q, want %q", answer, got, want)
		}
	}
}
