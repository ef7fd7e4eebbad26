package trace

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// answering is a plugin that answers every pre_message with the same.
func answering(name, answer string, err error) plugin.Plugin {
	return plugin.New(name, plugin.Handlers{hookpoints.PreMessage.Name: plugin.HandlerFunc(
		func(context.Context, plugin.Event) (plugin.Answer, error) {
			return plugin.Answer{Body: json.RawMessage(answer)}, err
		})})
}

// TestReplayComparesTheAnswersOfTodayWithTheTracedOnes asks plugins again at one
// traced pre_message, at which "guard" answered prompt a.
func TestReplayComparesTheAnswersOfTodayWithTheTracedOnes(t *testing.T) {
	traced := func(change func(*trace.Line)) trace.Line {
		line := trace.Line{Record: &plugin.Record{Point: hookpoints.PreMessage.Name, Plugin: "guard",
			Result: plugin.Changed, Payload: json.RawMessage(`{"prompt":"p"}`),
			Answer: json.RawMessage(`{"prompt":"a"}`)}}
		if change != nil {
			change(&line)
		}
		return line
	}
	for _, tt := range []struct {
		name                      string
		then                      trace.Line
		now                       []plugin.Plugin
		compared, differ, skipped int
		lines                     []string
	}{
		{name: "the same answer", then: traced(nil), now: []plugin.Plugin{answering("guard", `{"prompt": "a"}`, nil)},
			compared: 1},
		{name: "another answer", then: traced(nil), now: []plugin.Plugin{answering("guard", `{"prompt":"b"}`, nil)},
			compared: 1, differ: 1,
			lines: []string{`pre_message: plugin "guard"`, `  - {"prompt":"a"}`, `  + {"prompt":"b"}`}},
		{name: "no answer", then: traced(nil), now: []plugin.Plugin{answering("guard", "", nil)}, compared: 1, differ: 1,
			lines: []string{`pre_message: plugin "guard"`, `  - {"prompt":"a"}`, `  + {}`}},
		{name: "a failure", then: traced(nil), now: []plugin.Plugin{answering("guard", "", errors.New("oops"))},
			compared: 1, differ: 1,
			lines: []string{`pre_message: plugin "guard"`, `  - {"prompt":"a"}`, `  + failed: oops`}},
		{name: "a plugin that is gone", then: traced(nil), skipped: 1,
			lines: []string{`pre_message: chibi no longer asks plugin "guard"`}},
		{name: "a plugin that was skipped and received nothing",
			then: traced(func(l *trace.Line) { l.Result, l.Payload = plugin.Skipped, nil }),
			now:  []plugin.Plugin{answering("guard", "", nil)}},
		{name: "a payload that was too large", then: traced(func(l *trace.Line) { l.Payload = nil }),
			now: []plugin.Plugin{answering("guard", "", nil)}, skipped: 1,
			lines: []string{`pre_message: the trace does not contain the payload of plugin "guard", because it was too large`}},
		{name: "a payload without what plugins removed",
			then: traced(func(l *trace.Line) { l.Removed = true }),
			now:  []plugin.Plugin{answering("guard", "", nil)}, skipped: 1,
			lines: []string{`pre_message: the trace does not contain the payload of plugin "guard", because plugins removed ` +
				`words from it; with trace.received = true, it does`}},
		{name: "a plugin more", then: traced(nil),
			now:      []plugin.Plugin{answering("guard", `{"prompt":"a"}`, nil), answering("new", "", nil)},
			compared: 1, lines: []string{`pre_message: chibi asks plugin "new" now, but did not then`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c comparison
			if err := c.repeat(t.Context(), tt.now, []trace.Line{tt.then}); err != nil {
				t.Fatal(err)
			}
			got := []int{c.compared, c.differ, c.skipped}
			if diff := cmp.Diff([]int{tt.compared, tt.differ, tt.skipped}, got); diff != "" {
				t.Errorf("compared, differ, skipped (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.lines, c.lines); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}
