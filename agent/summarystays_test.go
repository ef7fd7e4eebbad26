package agent

import (
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
)

// TestAnAnswerSaysWhetherTheSummaryStays: what the messages say decides nothing.
func TestAnAnswerSaysWhetherTheSummaryStays(t *testing.T) {
	messages := []hookpoints.ChatMessage{{Role: "user", Content: "done"}} // the answer's own words
	atTurn := func(drop bool) plugin.Handlers {
		return answerAt(hookpoints.PostTurn, hookpoints.PostTurnAnswer{Messages: messages, DropSummary: drop})
	}
	atStop := func(drop bool) plugin.Handlers {
		return answerAt(hookpoints.PreStop, hookpoints.PreStopAnswer{Messages: messages, DropSummary: drop})
	}
	for name, test := range map[string]struct {
		handlers plugin.Handlers
		want     string
	}{
		"post_turn keeps it":               {atTurn(false), "so far"},
		"post_turn drops it":               {atTurn(true), ""},
		"a later plugin has the last word": {atTurn(true), "so far"},
		"a later plugin changes nothing":   {atTurn(true), ""},
		"pre_stop keeps it":                {atStop(false), "so far"},
		"pre_stop drops it":                {atStop(true), ""},
		"nobody says a thing":              {plugin.Handlers{}, "so far"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, says("done"))
			if err := h.Context.Compact("so far", nil); err != nil {
				t.Fatal(err)
			}
			h.plug("p", test.handlers)
			switch name {
			case "a later plugin has the last word":
				other := hookpoints.PostTurnAnswer{Messages: []hookpoints.ChatMessage{{Role: "user", Content: "else"}}}
				h.plug("q", answerAt(hookpoints.PostTurn, other))
			case "a later plugin changes nothing":
				h.plug("q", atTurn(false))
			}
			h.prompt("go on")
			if got, err := h.Context.Summary(t.Context()); got != test.want || err != nil {
				t.Errorf("the summary is %q, %v; want %q", got, err, test.want)
			}
		})
	}
}
