package trace_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// subagents is a turn in which two sub-agents work at the same time, whose models give their
// calls the same ids.
func subagents(w *trace.Writer) {
	inside := func(id string) func(*plugin.Record) { return func(r *plugin.Record) { r.Agent = id } }
	ends := func(id string) {
		w.Step(agent.Event{Kind: agent.EventAgent, Text: "do " + id, Subagent: &agent.AgentEvent{ID: id, Type: "general",
			Tool: "spawn_agent", CallID: "c1", Model: "m"}})
		w.Step(agent.Event{Kind: agent.EventAgent, Subagent: &agent.AgentEvent{ID: id, Type: "general", Tool: "spawn_agent",
			CallID: "c1", Model: "m", Status: "ran", Responses: 2, InputTokens: 1200, OutputTokens: 30,
			DurationMS: 1500}})
	}
	asked := func(dispatch int64, id, tool, answer string, result plugin.Result, more ...func(*plugin.Record)) {
		payload := fmt.Sprintf(`{"tool_name":%q,"tool_call_id":"c1"}`, tool)
		record(w, dispatch, "pre_tool", "guard", payload, answer, result, append(more, inside(id))...)
	}
	over := func(id, tool, why string) {
		w.Step(agent.Event{Kind: agent.EventCall, Agent: id, Call: &agent.CallEvent{ID: "c1", Tool: tool, Ran: why == "",
			Why: why}})
	}
	prompt(w, "go")
	asked(1, "agent-1", "shell_exec", `{"block":true,"message":"no"}`, plugin.Blocked,
		func(r *plugin.Record) { r.Blocks, r.Why = true, "no" })
	record(w, 2, "pre_tool", "first", `{"tool_name":"read_file","tool_call_id":"c1"}`, "", plugin.NoOpinion,
		inside("agent-2"))
	record(w, 1, "pre_tool", "late", `{"tool_name":"shell_exec","tool_call_id":"c1"}`, "", plugin.Skipped,
		inside("agent-1"), func(r *plugin.Record) { r.Why = `plugin "guard" blocked` })
	asked(2, "agent-2", "read_file", `{"arguments":{"path":"b"}}`, plugin.Changed,
		func(r *plugin.Record) { r.Changed = []string{"/arguments/path"} })
	over("agent-1", "shell_exec", "no\n(blocked by plugin \"guard\")")
	over("agent-2", "read_file", "")
	record(w, 3, "pre_tool_output", "tidy", `{"tool_call_id":"c1"}`, `{"output":"x"}`, plugin.Changed, inside("agent-1"))
	ends("agent-1")
	ends("agent-2")
	w.Step(agent.Event{Kind: agent.EventAnswer, Text: "done"})
}

// TestSubAgentsThatWorkAtTheSameTimeAreToldApart, although their calls have the same ids.
func TestSubAgentsThatWorkAtTheSameTimeAreToldApart(t *testing.T) {
	turn := read(t, write(t, 1<<20, subagents))[0]
	want := []string{
		`In sub-agent agent-1: chibi did not ask plugin "late" at pre_tool: plugin "guard" blocked.`,
		`In sub-agent agent-1: The call of shell_exec (c1) was blocked by plugin "guard", asked in position 1: no.`,
		`In sub-agent agent-1: The output of the call of shell_exec (c1) was changed by plugin "tidy".`,
		`In sub-agent agent-2: The arguments of the call of read_file (c1) were changed: path by plugin "guard"; ` +
			`they became {"path":"b"}.`,
		`Sub-agent agent-1 (general, model m), which the call of spawn_agent (c1) asked for: ran; 2 responses, ` +
			`1,200 tokens in, 30 out.`,
		`Sub-agent agent-2 (general, model m), which the call of spawn_agent (c1) asked for: ran; 2 responses, ` +
			`1,200 tokens in, 30 out.`,
	}
	if diff := cmp.Diff(want, turn.Explain()); diff != "" {
		t.Errorf("sentences (-want +got):\n%s", diff)
	}
	var timeline, page bytes.Buffer
	turn.Print(&timeline, "", 0, func(mark, text string) string { return mark + "|" + text })
	if err := trace.HTML(&page, []trace.Turn{turn}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  agent-2 pre_tool ", "|begins (general): do agent-1", "1500 ms",
		"|ran; 2 responses, 1,200 tokens in, 30 out"} {
		if !strings.Contains(timeline.String(), want) {
			t.Errorf("the timeline has no %q:\n%s", want, timeline.String())
		}
	}
	for _, want := range []string{"agent-2 pre_tool", "In sub-agent agent-2: ", "begins (general): do agent-1"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %q", want)
		}
	}
}
