package agent

import (
	"context"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
)

// TestAnAnswerSaysWhetherTheSummaryStays: what the messages say decides nothing.
func TestAnAnswerSaysWhetherTheSummaryStays(t *testing.T) {
	messages := []hookpoints.ChatMessage{{Role: "user", Content: "done"}} // the answer's own words
	atTurn := func(drop bool) plugin.Handlers {
		return plugin.HandlePoint(hookpoints.PostTurn,
			func(context.Context, hookpoints.PostTurnPayload) (hookpoints.PostTurnAnswer, error) {
				return hookpoints.PostTurnAnswer{Messages: messages, DropSummary: drop}, nil
			})
	}
	atStop := func(drop bool) plugin.Handlers {
		return plugin.HandlePoint(hookpoints.PreStop,
			func(context.Context, hookpoints.PreStopPayload) (hookpoints.PreStopAnswer, error) {
				return hookpoints.PreStopAnswer{Messages: messages, DropSummary: drop}, nil
			})
	}
	for name, test := range map[string]struct {
		handlers plugin.Handlers
		want     string
	}{
		"post_turn keeps it":               {atTurn(false), "so far"},
		"post_turn drops it":               {atTurn(true), ""},
		"a later plugin has the last word": {atTurn(true), "so far"},
		"pre_stop keeps it":                {atStop(false), "so far"},
		"pre_stop drops it":                {atStop(true), ""},
		"nobody says a thing":              {plugin.Handlers{}, "so far"},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := crowded(t, says("done"))
			a.Settings.AutoCompact, a.Recipe = false, &Recipe{Name: "r"}
			if err := a.Context.Compact("so far", nil); err != nil {
				t.Fatal(err)
			}
			plugins := []plugin.Plugin{{Name: "p", Hooks: test.handlers.Hooks(), Handler: test.handlers}}
			if strings.HasPrefix(name, "a later") {
				other := plugin.HandlePoint(hookpoints.PostTurn,
					func(context.Context, hookpoints.PostTurnPayload) (hookpoints.PostTurnAnswer, error) {
						return hookpoints.PostTurnAnswer{Messages: []hookpoints.ChatMessage{{Role: "user", Content: "else"}}}, nil
					})
				plugins = append(plugins, plugin.Plugin{Name: "q", Hooks: other.Hooks(), Handler: other})
			}
			a.Host = &plugin.Host{Plugins: plugins}
			if _, err := a.Prompt(t.Context(), "go on"); err != nil {
				t.Fatal(err)
			}
			if got, err := a.Context.Summary(t.Context()); got != test.want || err != nil {
				t.Errorf("the summary is %q, %v; want %q", got, err, test.want)
			}
		})
	}
}
