package engine

import (
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
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
	deny := Effect{Decision: hookpoints.DecisionDeny, Reason: "no"}
	halt := Effect{Halt: true, HaltReason: "stop"}
	both := Effect{Decision: hookpoints.DecisionDeny, Reason: "no", Halt: true, HaltReason: "stop"}
	reason := Effect{Halt: true, Reason: "no"}
	for _, row := range []struct {
		at                       hookpoints.Name
		deny, halt, both, reason string
	}{
		{hookpoints.PreMessage.Name, blockNo, haltStop, blockNo, haltNo},
		{hookpoints.PreTool.Name, blockNo, haltStop, haltStop, haltNo},
		{hookpoints.PreToolOutput.Name, `{"context":"no"}`, haltStop,
			`{"context":"no","halt":true,"message":"stop"}`, haltNo},
		{hookpoints.PostToolBatch.Name, haltNo, haltStop, haltStop, haltNo},
		{hookpoints.PostTurn.Name, haltNo, haltStop, haltStop, haltNo},
		{hookpoints.PreStop.Name, `{"follow_up_messages":["no"]}`, haltStop, haltStop, haltNo},
		{hookpoints.PreCompact.Name, blockNo, blockStop, blockNo, blockNo},
		{hookpoints.PreRollingCompact.Name, blockNo, blockStop, blockNo, blockNo},
		{hookpoints.PreSpawnAgent.Name, blockNo, blockStop, blockNo, blockNo},
	} {
		for _, c := range []struct {
			says string
			eff  Effect
			want string
		}{{"no", deny, row.deny}, {"stop", halt, row.halt}, {"both", both, row.both},
			{"stop, for a reason of a denial", reason, row.reason}} {
			body, notes := answerAt(Dialect{}, row.at, Moment{}, c.eff)
			if string(body) != c.want || len(notes) > 0 {
				t.Errorf("at %s a hook that says %s answers %s %q, want %s", row.at, c.says, body, notes, c.want)
			}
		}
	}
}
