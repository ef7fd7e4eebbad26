package trace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/trace"
)

func TestATraceTellsWhatACallOfAServerTook(t *testing.T) {
	path := write(t, 1<<20, func(w *trace.Writer) {
		prompt(w, "do it")
		for id, served := range []agent.ServedEvent{{Server: "files", StartMS: 412.5, WaitMS: 3000, CallMS: 1.5},
			{Server: "files", StartMS: 0.01, CallMS: 0.25}} {
			w.Step(agent.Event{Kind: agent.EventCall, Call: &agent.CallEvent{ID: fmt.Sprint("c", id), Tool: "mcp__files__read",
				Ran: true, DurationMS: 3414, Served: &served}})
		}
	})
	turn := read(t, path)[0]
	var timeline strings.Builder
	turn.Print(&timeline, "", 0, func(_, text string) string { return text })
	answers, _ := turn.ExplainAbout("mcp__files__read")
	var explained string
	for _, a := range answers {
		explained += strings.Join(a.Sentences, "\n")
	}
	var page strings.Builder
	if err := trace.HTML(&page, []trace.Turn{turn}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"start 412 ms, waited for you 3000 ms, call 1 ms", "call 0.25 ms"} {
		if row := "; MCP server files: " + want + "\n"; !strings.Contains(timeline.String(), row) {
			t.Errorf("the timeline has no %q:\n%s", row, timeline.String())
		}
		if !strings.Contains(explained, "was answered by MCP server files: "+want+".") {
			t.Errorf("not explained: %s", explained)
		}
		if !strings.Contains(page.String(), "MCP server files: "+want) {
			t.Errorf("the page has no %q", want)
		}
	}
}
