package agent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
)

func TestStartAndEnd(t *testing.T) {
	h := newHarness(t, says("done"))
	h.Settings.Provider, h.Settings.Home, h.Settings.ProjectRoot, h.Settings.Verbose = "demo", "/h", "/p", true
	starts, ends := observe(h, hookpoints.OnStart), observe(h, hookpoints.OnEnd)
	if err := h.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "on_start", *starts, []hookpoints.OnStartPayload{{CurrentContext: "work", Verbose: true, Provider: "demo",
		Model: "m", ChibiHome: "/h", ProjectRoot: "/p", ToolCount: 1}})
	h.prompt("hi")
	next := newHarness(t, says("done"))
	next.Host = h.Host
	next.prompt("hi")
	next.Continue(h.Agent)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, failure := range []error{nil, errors.New("out of order"), cancelled.Err()} {
		if err := next.End(cancelled, failure); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "on_end", *ends, []hookpoints.OnEndPayload{
		{CurrentContext: "work", Reason: "user_exit", Turns: 2}, {CurrentContext: "work", Reason: "error", Turns: 2},
		{CurrentContext: "work", Reason: "interrupt", Turns: 2}})
}

func TestAPluginCanRefuseTheRunAtItsStart(t *testing.T) {
	h := newHarness(t)
	h.plug("p", plugin.Handlers{hookpoints.OnStart.Name: plugin.HandlerFunc(
		func(context.Context, plugin.Event) (plugin.Answer, error) {
			return plugin.Answer{}, &plugin.Refusal{Err: errors.New("not today")}
		})})
	if err := h.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "not today") {
		t.Errorf("%v", err)
	}
}

func TestSwitched(t *testing.T) {
	h := newHarness(t)
	seen := observe(h, hookpoints.OnContextSwitch)
	for _, s := range []Switch{{From: "work"}, {From: "other"}, {From: "other", Transient: true}} {
		if err := h.Switched(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "on_context_switch", *seen, []hookpoints.OnContextSwitchPayload{
		{FromContext: "other", ToContext: "work"}, {FromContext: "other", ToContext: "work", IsTransient: true}})
	same(t, "events", h.events[0], Event{Kind: EventContext, Change: ContextSwitched,
		Text: `the run went from context "other" to context "work"`, Contexts: []string{"other", "work"}})
}

func TestClear(t *testing.T) {
	h := newHarness(t, says("done"))
	h.prompt("hi")
	if err := h.Context.Compact("so far", nil); err != nil {
		t.Fatal(err)
	}
	h.prompt("again")
	pres, posts := observe(h, hookpoints.PreClear), observe(h, hookpoints.PostClear)
	if err := h.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	payload := hookpoints.ContextPayload{ContextName: "work", MessageCount: 2, Summary: "so far"}
	same(t, "hooks", append(*pres, *posts...), []hookpoints.ContextPayload{payload, payload})
	same(t, "window", h.window(), []string{"archival"})
	if summary, err := h.Context.Summary(t.Context()); summary != "" || err != nil {
		t.Errorf("summary %q, %v", summary, err)
	}
}

func TestCompact(t *testing.T) {
	long := strings.Repeat("x", 3000)
	for _, test := range []struct {
		name    string
		prompts int
		reply   reply
		want    Compacted
		window  []string
		failure string
	}{
		{"an empty context", 0, says("summary"), CompactEmpty, nil, ""},
		{"one exchange", 1, says("summary"), CompactSmall, []string{"context_created", "user hi", "assistant ok"}, ""},
		{"two exchanges", 2, says(" summary\n"), CompactDone, []string{"compaction"}, ""},
		{"a failure", 2, fails("", errors.New("out of order")), CompactDone, nil,
			`context "work" was not compacted, nothing has changed: out of order`},
		{"an empty summary", 2, says(" "), CompactDone, nil, "the model's summary is empty"},
		{"a conversation that is too long", 2, fails("", llm.ErrTooLong), CompactDone, nil,
			"the conversation is also too long to be summarized: chibi -a empties it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, says("ok"))
			for range test.prompts {
				h.prompt("hi")
			}
			before := h.window()
			if test.prompts > 1 {
				h.store(contexts.ToolCall("work", "echo", "c1", long), contexts.ToolResult("work", "echo", "c1", "ok"))
				before = h.window()
			}
			h.model.replies = []reply{test.reply}
			pres, posts := observe(h, hookpoints.PreCompact), observe(h, hookpoints.PostCompact)
			done, err := h.Compact(t.Context())
			if done != test.want || (err == nil) != (test.failure == "") ||
				err != nil && !strings.Contains(err.Error(), test.failure) {
				t.Errorf("%q, %v; want %q, %q", done, err, test.want, test.failure)
			}
			if test.failure != "" {
				test.window = before
			}
			same(t, "window", h.window(), test.window)
			if test.want != CompactDone {
				return
			}
			same(t, "pre_compact", *pres, []hookpoints.ContextPayload{{ContextName: "work", MessageCount: 4}})
			if test.failure != "" {
				same(t, "post_compact", len(*posts), 0)
				return
			}
			same(t, "post_compact", *posts, []hookpoints.ContextPayload{{ContextName: "work", Summary: "summary"}})
			asked := h.model.requests[len(h.model.requests)-1].sent()
			if !strings.Contains(asked, "[USER]: hi\n\n[ASSISTANT]: ok\n\n") || !strings.HasSuffix(asked, "\n\nRun compact.") ||
				!strings.Contains(asked, "xxx... [truncated]\n\n[TOOL RESULT echo]: ok") {
				t.Errorf("asked %q", asked)
			}
		})
	}
}

// TestWithoutRecipesThereAreNoSummaries.
func TestWithoutRecipesThereAreNoSummaries(t *testing.T) {
	h := newHarness(t, says("ok"))
	h.Recipes = nil
	h.prompt("one")
	h.prompt("two")
	if _, err := h.Compact(t.Context()); err == nil || !strings.Contains(err.Error(), `there is no recipe "compact"`) {
		t.Errorf("%v", err)
	}
}

func TestRollingCompactionTellsHooks(t *testing.T) {
	h := crowded(t, chooseAll, says("summary"), says("done"))
	pres, posts := observe(h, hookpoints.PreRollingCompact), observe(h, hookpoints.PostRollingCompact)
	h.prompt("question 6")
	same(t, "pre_rolling_compact", *pres, []hookpoints.PreRollingCompactPayload{{ContextName: "work", MessageCount: 13,
		NonSystemCount: 13}})
	same(t, "post_rolling_compact", *posts, []hookpoints.PostRollingCompactPayload{{ContextName: "work", MessageCount: 3,
		MessagesArchived: 10, Summary: "summary"}})
	var told []Event
	for _, e := range h.events {
		if e.Kind == EventCompacted {
			told = append(told, e)
		}
	}
	same(t, "events", told, []Event{{Kind: EventCompacted, Text: "12 entries into a summary, 3 stay"}})
}

// TestAFullWindowIsSaid from the configured percentage on, and compacted from another.
func TestAFullWindowIsSaid(t *testing.T) {
	for _, test := range []struct {
		warn, compact float64
		auto          bool
		notices       int
		requests      int
	}{
		{0, 50, false, 0, 1}, {50, 50, false, 1, 1}, {10_000, 50, true, 0, 3}, {50, 10_000, true, 1, 1},
	} {
		h := crowded(t, says("[]"), says("summary"), says("done"))
		h.Settings.WarnPercent, h.Settings.CompactPercent, h.Settings.AutoCompact = test.warn, test.compact, test.auto
		h.prompt("question 6")
		if len(h.notices) != test.notices || len(h.model.requests) != test.requests {
			t.Errorf("%+v: notices %q, %d requests", test, h.notices, len(h.model.requests))
		}
	}
}

// TestWhichEventsAreTraced: those that no record of a hook or call says already.
func TestWhichEventsAreTraced(t *testing.T) {
	for kind, want := range map[EventKind]bool{
		EventPrompt: true, EventRequest: true, EventCall: true, EventAnswer: true, EventError: true, EventLoaded: true,
		EventContext: true, EventNotice: true,
		EventTool: false, EventFollowUp: false, EventCompacted: false, EventRecursion: false, EventRewritten: false,
	} {
		if kind.IsTraced() != want {
			t.Errorf("%s: %v", kind, kind.IsTraced())
		}
	}
}

// TestAnAgentWithoutObserversWorks: every function of Output may be nil.
func TestAnAgentWithoutObserversWorks(t *testing.T) {
	h := newHarness(t, calls("echo", "{}", "echo", "{}"), fails("hel", errors.New("out of order")))
	h.Output, h.Settings.MaxCalls, h.Host = Output{}, 1, nil
	if _, err := h.Prompt(t.Context(), "hi"); err == nil {
		t.Error("nothing failed")
	}
}

// TestWaitingIsSaidAndEnds, for the model and for tools.
func TestWaitingIsSaidAndEnds(t *testing.T) {
	h := newHarness(t, calls("echo", "{}"), says("hello"))
	var said []string
	h.Output.Waiting = func(what string) func() {
		said = append(said, what)
		return func() { said = append(said, "no more") }
	}
	h.prompt("hi")
	same(t, "waiting", said, []string{"model m", "no more", "tool echo", "no more", "model m", "no more"})
}

// TestTheTextOfAResponseEnds with a line, and is said to end, also after a failure.
func TestTheTextOfAResponseEnds(t *testing.T) {
	h := newHarness(t, fails("hel", errors.New("out of order")))
	var shown strings.Builder
	h.Output.Text = func(delta string) { shown.WriteString(delta) }
	h.Output.TextEnd = func() { shown.WriteString("END") }
	h.Prompt(t.Context(), "hi")
	if shown.String() != "hel\nEND" {
		t.Errorf("shown %q", shown.String())
	}
}
