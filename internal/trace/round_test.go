package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// TestARoundIsExplained: each of a round has the payload that it received, and whose changes
// stand is said.
func TestARoundIsExplained(t *testing.T) {
	says := func(name, answer string) plugin.Plugin {
		return plugin.Plugin{Name: name, Round: "r", Hooks: []hookpoints.Name{hookpoints.PreTool.Name},
			Handler: plugin.HandlerFunc(func(context.Context, plugin.Event) (plugin.Answer, error) {
				return plugin.Answer{Body: json.RawMessage(answer)}, nil
			})}
	}
	list := says("list", `{"arguments":{"command":"ls -l","dir":"/"}}`)
	tmp := says("tmp", `{"arguments":{"command":"ls -a","dir":"/tmp"}}`)
	no, late := says("no", `{"block":true,"message":"not now"}`), says("late", `{"arguments":{}}`)
	turns := read(t, write(t, 1<<20, func(w *trace.Writer) {
		for _, plugins := range [][]plugin.Plugin{{list, tmp}, {no, late}} {
			prompt(w, "go")
			h := &plugin.Host{Plugins: plugins, Trace: func(r plugin.Record) { w.Record(r) }}
			if _, err := plugin.Fire(t.Context(), h, hookpoints.PreTool, hookpoints.PreToolPayload{ToolName: "shell",
				Arguments: json.RawMessage(`{"command":"ls","dir":"/"}`), ToolCallID: "c1"}); err != nil {
				t.Fatal(err)
			}
			w.Step(agent.Event{Kind: agent.EventCall, Call: &agent.CallEvent{ID: "c1", Tool: "shell", Ran: true,
				Arguments: json.RawMessage(`{"command":"ls -a","dir":"/tmp"}`)}})
			w.Step(agent.Event{Kind: agent.EventAnswer, Text: "yes"})
		}
	}))
	var payloads []string
	for _, l := range slices.Concat(turns[0].Lines, turns[1].Lines) {
		if l.Record != nil {
			payloads = append(payloads, l.Round+" "+string(l.Payload))
		}
	}
	same := `r {"tool_name":"shell","arguments":{"command":"ls","dir":"/"},"tool_call_id":"c1"}`
	if diff := cmp.Diff(slices.Repeat([]string{same}, 4), payloads); diff != "" {
		t.Errorf("payloads (-want +got):\n%s", diff)
	}
	var timeline bytes.Buffer
	for _, turn := range turns {
		turn.Print(&timeline, "", 0, func(mark, text string) string { return mark + "|" + text })
	}
	for _, want := range []string{
		"lost|changed /arguments/command; its /arguments/command was replaced by tmp; asked at once with the others of " +
			"its round",
		`changed|changed /arguments/command /arguments/dir to {"command":"ls -a","dir":"/tmp"}; ` +
			`asked at once with the others of its round`,
		`ignored|ignored: plugin "no" blocked; asked at once with the others of its round`,
	} {
		if !strings.Contains(timeline.String(), want) {
			t.Errorf("the timeline does not have %q:\n%s", want, timeline.String())
		}
	}
	explained := []string{
		`The arguments of the call of shell (c1) were changed: command by plugin "list", then plugin "tmp", whose value ` +
			`was used; dir by plugin "tmp"; they became {"command":"ls -a","dir":"/tmp"}.`,
		`The answer of plugin "late" at pre_tool had no effect: plugin "no" blocked.`,
	}
	if diff := cmp.Diff(explained, append(turns[0].Explain(), turns[1].Explain()...)); diff != "" {
		t.Errorf("sentences (-want +got):\n%s", diff)
	}
}
