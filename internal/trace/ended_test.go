package trace_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/plugin"
)

// TestWhatNobodyWaitedForBelongsToItsTurn: its record comes when the next turns have begun, in
// another context. What plugins removed in its turn is not in it.
func TestWhatNobodyWaitedForBelongsToItsTurn(t *testing.T) {
	var out bytes.Buffer
	w := &trace.Writer{Run: "r"}
	w.To(&out)
	logged := func(at time.Time, text string) {
		if err := w.Record(plugin.Record{Time: at, Point: hookpoints.PostMessage.Name, Plugin: "logger", Async: true,
			Result: plugin.NoOpinion, Payload: json.RawMessage(`{"prompt":"` + text + `"}`)}); err != nil {
			t.Fatal(err)
		}
	}
	early := time.Now()
	w.Context("first")
	prompt(w, "my key is hunter2")
	w.Fired(plugin.Firing{Dispatch: 1, Point: hookpoints.PreMessage.Name,
		Payload: json.RawMessage(`{"prompt":"my key is hunter2"}`), Final: json.RawMessage(`{"prompt":"my key is out"}`)})
	w.Step(agent.Event{Kind: agent.EventAnswer, Text: "yes"})
	inFirst := time.Now()
	w.Context("second")
	prompt(w, "hello")
	logged(inFirst, "it says hunter2")
	logged(early, "before the first prompt")
	inSecond := time.Now()
	w.Context("third")
	logged(inSecond, "in the second turn")
	w.Step(agent.Event{Kind: agent.EventAnswer, Text: "yes"})
	for range 10 {
		prompt(w, "again")
	}
	logged(inFirst, "much too late")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "hunter2") || strings.Contains(out.String(), "much too late") {
		t.Errorf("the trace has what was removed:\n%s", out.String())
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		var l trace.Line
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.Record != nil && l.Turn < 3 {
			got = append(got, l.Context+" "+string(l.Payload))
		}
	}
	want := []string{`first {"prompt":"it says [removed]"}`, `first {"prompt":"before the first prompt"}`,
		`second {"prompt":"in the second turn"}`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("records:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
