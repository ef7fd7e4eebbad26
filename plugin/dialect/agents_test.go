package dialect_test

import (
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin/dialect"
)

func TestCopilotsProgressIsNoPartOfAnAnswer(t *testing.T) {
	copilot, _ := dialect.ByName("copilot")
	event, _ := copilot.Event("preToolUse")
	eff := copilot.Effect(event, dialect.Outcome{Stdout: []byte(`{"type":"progress","message":"1 of 2"}` + "\n" +
		`{"permissionDecision":"deny","permissionDecisionReason":"no"}` + "\n" + `{"type":"progress"}` + "\n")})
	if eff.Decision != hookpoints.DecisionDeny || eff.Reason != "no" || eff.Failed != "" {
		t.Errorf("it is %+v", eff)
	}
}

// TestAnEventOfTwoKindsFiresAtBoth holds that Cursor's stop also tells how a turn failed.
func TestAnEventOfTwoKindsFiresAtBoth(t *testing.T) {
	cursor, _ := dialect.ByName("cursor")
	plugin, err := dialect.NewPlugin(cursor, dialect.Handler{Event: "stop", Kind: dialect.CommandHandler, Command: "true"},
		dialect.HookOptions{Name: "cursor:stop:1"})
	if err != nil || len(plugin.Hooks) != 2 || plugin.Hooks[0] != hookpoints.PreStop.Name ||
		plugin.Hooks[1] != hookpoints.OnTurnFailed.Name {
		t.Errorf("it fires at %v, %v", plugin.Hooks, err)
	}
}
