package hooks_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/plugin"
)

// What hooks said in the background waits for an event at which the model hears it, and is passed on once; what
// wakes the model makes it go on, or stands beside the next prompt.
func TestWhatWasSaidIsPassedOnWhereItIsHeard(t *testing.T) {
	claude, _ := agents.ByName("claude")
	kept := hooks.Remembered{Said: []hooks.Said{{Context: "done", Message: "for you"}, {Context: "look", Wakes: true}}}
	keeping := &hooks.Keeping{Read: func() hooks.Remembered { return kept },
		Change: func(step func(*hooks.Remembered)) error {
			step(&kept)
			return nil
		}}
	host := &plugin.Host{Plugins: []plugin.Plugin{hooks.NewBackground(claude, &hooks.Memory{Keeping: keeping})}}
	prompt := func() string {
		answer, err := plugin.Fire(t.Context(), host, hookpoints.PreMessage, hookpoints.PreMessagePayload{Prompt: "p"})
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, c := range answer.Contexts {
			texts = append(texts, c.Text)
		}
		return strings.Join(texts, "|")
	}
	if got := prompt(); got != "" || len(kept.Said) != 2 {
		t.Errorf("nobody hears %q", got)
	}
	stop, err := plugin.Fire(t.Context(), host, hookpoints.PreStop, hookpoints.PreStopPayload{})
	if err != nil || strings.Join(stop.FollowUpMessages, "|") != "look" || len(kept.Said) != 1 {
		t.Errorf("%q, %v", stop.FollowUpMessages, err)
	}
	kept.Said = append(kept.Said, hooks.Said{Context: "look again", Wakes: true})
	keeping.Hears = true
	if got := prompt(); got != "done\nlook again" || len(kept.Said) != 0 {
		t.Errorf("the model hears %q", got)
	}
	if got := prompt(); got != "" {
		t.Errorf("the model hears again %q", got)
	}
}
