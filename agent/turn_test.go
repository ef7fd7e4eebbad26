package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

func TestPreMessage(t *testing.T) {
	empty, other := " \n", "other"
	for _, test := range []struct {
		name    string
		answer  hookpoints.PreMessageAnswer
		prompt  string
		sent    []string
		failure string
	}{
		{"no opinion", hookpoints.PreMessageAnswer{}, "hi", []string{"user:hi"}, ""},
		{"a prompt", hookpoints.PreMessageAnswer{Prompt: &other}, "hi", []string{"user:other"}, ""},
		{"an empty prompt", hookpoints.PreMessageAnswer{Prompt: &empty}, "hi", nil, "the prompt is empty; say something"},
		{"an empty prompt of the person", hookpoints.PreMessageAnswer{}, "  ", nil, "the prompt is empty; say something"},
		{"a block", hookpoints.PreMessageAnswer{Block: true, Message: "not today"}, "hi", nil,
			"the prompt was refused: not today"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, says("hello"))
			h.plug("p", answerAt(hookpoints.PreMessage, test.answer))
			seen := observe(h, hookpoints.PostMessage)
			_, err := h.Prompt(t.Context(), test.prompt)
			same(t, "requests", h.sent(), test.sent)
			if test.failure == "" {
				same(t, "post_message", *seen, []hookpoints.PostMessagePayload{{Prompt: "hi", Response: "hello",
					ContextName: "work"}})
				return
			}
			var refused *RefusedError
			if err == nil || err.Error() != test.failure || errors.As(err, &refused) != test.answer.Block {
				t.Errorf("error %v, want %q", err, test.failure)
			}
			if w := h.window(); len(w) > 0 {
				t.Errorf("stored: %q", w)
			}
		})
	}
}

func TestPreMessageIsToldTheSummaryAndTheRecipe(t *testing.T) {
	h := newHarness(t, says("hello"))
	h.Recipe = &Recipe{Name: "review"}
	if err := h.Context.Compact("so far", nil); err != nil {
		t.Fatal(err)
	}
	seen := observe(h, hookpoints.PreMessage)
	h.prompt("hi")
	same(t, "pre_message", *seen, []hookpoints.PreMessagePayload{{Prompt: "hi", ContextName: "work", Summary: "so far",
		InRecipe: hookpoints.InRecipe{Recipe: "review"}}})
}

// endless calls a tool in every response, with other arguments each time.
func endless(ctx context.Context, r request, onText func(string)) (llm.Reply, error) {
	return calls("echo", fmt.Sprintf(`{"n":%d}`, len(r.Messages)))(ctx, r, onText)
}

func TestBounds(t *testing.T) {
	for _, test := range []struct {
		name     string
		settings Settings
		replies  []reply
		setup    func(*harness)
		// requests is how many there are, runs how often echo runs.
		requests, runs int
		notice         string
		failure        string
	}{
		{name: "steps of a turn", settings: Settings{MaxSteps: 3}, replies: []reply{endless}, requests: 3, runs: 3,
			failure: "the model called tools in 3 responses without an answer; stopped, as max_tool_rounds says"},
		{name: "steps of a turn by default", replies: []reply{endless}, requests: 50, runs: 50,
			failure: "the model called tools in 50 responses"},
		{name: "calls of a step", settings: Settings{MaxCalls: 2}, requests: 2, runs: 2,
			replies: []reply{calls("echo", "{}", "echo", `{"n":1}`, "echo", "{}"), says("done")},
			notice:  "the model called 3 tools in one response; the first 2 run, as max_calls_per_response says"},
		{name: "as many calls as are allowed", settings: Settings{MaxCalls: 3}, requests: 2, runs: 3,
			replies: []reply{calls("echo", "{}", "echo", "{}", "echo", "{}"), says("done")}},
		{name: "follow-ups", settings: Settings{MaxFollowUps: 2}, replies: []reply{says("done")}, requests: 3,
			setup: func(h *harness) {
				h.plug("p", answerAt(hookpoints.PreStop, hookpoints.PreStopAnswer{FollowUpMessages: []string{"more"}}))
			}, notice: "pre_stop: the turn has been continued 2 times, as max_follow_ups allows"},
		{name: "follow-ups by default", replies: []reply{says("done")}, requests: 6,
			setup: func(h *harness) {
				h.plug("p", answerAt(hookpoints.PreStop, hookpoints.PreStopAnswer{FollowUpMessages: []string{"more"}}))
			}, notice: "pre_stop: the turn has been continued 5 times"},
		{name: "recipes of hooks", settings: Settings{MaxFollowUps: 1}, requests: 4, runs: 2,
			replies: []reply{endless, says("summary"), endless, says("done")},
			setup: func(h *harness) {
				h.plug("p", plugin.HandlePoint(hookpoints.PostTurn,
					func(_ context.Context, p hookpoints.PostTurnPayload) (a hookpoints.PostTurnAnswer, err error) {
						if len(p.ToolsUsed) > 0 {
							a.Recipe = "compact"
						}
						return a, nil
					}))
			}, notice: `hooks have run 1 recipes in this turn, as max_follow_ups allows; the recipe "compact" is not run`},
		{name: "further turns", settings: Settings{MaxRecursion: 3}, requests: 6,
			replies: []reply{calls("again", "{}"), says("1"), calls("again", "{}"), says("2"), calls("again", "{}"), says("3")},
			notice:  "stopped after 3 rounds, as max_recursion_depth says; the model wanted to continue: go on"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, test.replies...)
			h.Settings = test.settings
			h.tool("again", func(tools.Call) tools.Result { return tools.Result{Text: "ok", Next: "go on"} })
			if test.setup != nil {
				test.setup(h)
			}
			_, err := h.Prompt(t.Context(), "hi")
			if (err != nil) != (test.failure != "") || err != nil && !strings.HasPrefix(err.Error(), test.failure) {
				t.Errorf("error %v, want %q", err, test.failure)
			}
			if runs := strings.Count(strings.Join(h.log, "\n"), "run echo"); runs != test.runs {
				t.Errorf("%d runs, want %d", runs, test.runs)
			}
			if len(h.model.requests) != test.requests {
				t.Errorf("%d requests, want %d", len(h.model.requests), test.requests)
			}
			if test.notice != "" {
				h.noticed(test.notice)
			}
		})
	}
}

// TestACallOverTheBoundIsAnswered: no server accepts a call without a result.
func TestACallOverTheBoundIsAnswered(t *testing.T) {
	h := newHarness(t, calls("echo", "{}", "echo", "{}"), says("done"))
	h.Settings.MaxCalls = 1
	h.prompt("hi")
	same(t, "the last request", h.model.requests[1].sent(),
		"user:hi assistant: tool:{} tool:Error: not run: at most 1 calls of one response are run")
}

func TestPostTurnCountsStepsAndTokens(t *testing.T) {
	first := llm.Reply{Text: "I look.", Usage: llm.Usage{InputTokens: 10, OutputTokens: 2},
		ToolCalls: []llm.ToolCall{{ID: "c1", Name: "echo", Arguments: `{"n":1}`}}}
	second := llm.Reply{Text: "done", Usage: llm.Usage{InputTokens: 20, OutputTokens: 3}}
	h := newHarness(t, finishes(first), finishes(second))
	h.Settings.ContextWindow = 1000
	turns, stops := observe(h, hookpoints.PostTurn), observe(h, hookpoints.PreStop)
	h.prompt("hi")
	call := hookpoints.ChatMessage{Role: "assistant", Content: "I look.",
		ToolCalls: []hookpoints.ChatToolCall{{ID: "c1", Name: "echo", Arguments: `{"n":1}`}}}
	messages := []hookpoints.ChatMessage{{Role: "user", Content: "hi"}, call,
		{Role: "tool", Content: `{"n":1}`, ToolCallID: "c1"}, {Role: "assistant", Content: "done"}}
	all := hookpoints.Usage{InputTokens: 30, OutputTokens: 5, CurrentContextWindow: 23, MaxContextWindow: 1000}
	same(t, "post_turn", *turns, []hookpoints.PostTurnPayload{
		{ContextName: "work", TurnNumber: 1, Response: "I look.", ToolsUsed: []string{"echo"}, Messages: messages[:2],
			Usage: hookpoints.Usage{InputTokens: 10, OutputTokens: 2, CurrentContextWindow: 12, MaxContextWindow: 1000}},
		{ContextName: "work", TurnNumber: 2, Response: "done", ToolsUsed: []string{}, Messages: messages, Usage: all},
	})
	same(t, "pre_stop", *stops, []hookpoints.PreStopPayload{{ContextName: "work", Response: "done", Usage: all,
		Messages: messages}})
}

// TestTokensAreEstimatedWhereTheServerCountsNone: four bytes are one.
func TestTokensAreEstimatedWhereTheServerCountsNone(t *testing.T) {
	h := newHarness(t, says("12345678"))
	stops := observe(h, hookpoints.PreStop)
	h.prompt("hi")
	usage := (*stops)[0].Usage
	if want := len(h.model.requests[0].raw) / 4; usage.InputTokens != want || usage.OutputTokens != 2 ||
		usage.MaxContextWindow != llm.ContextWindow("m") {
		t.Errorf("%+v, want %d in and 2 out", usage, want)
	}
}

// TestFurtherTurnsHaveADepth, which hooks are told; on_end counts prompts.
func TestFurtherTurnsHaveADepth(t *testing.T) {
	h := newHarness(t, calls("again", "{}"), says("1"), says("2"))
	h.tool("again", func(tools.Call) tools.Result { return tools.Result{Text: "ok", Next: "go on"} })
	turns, lists, stops := observe(h, hookpoints.PostTurn), observe(h, hookpoints.PreAPITools),
		observe(h, hookpoints.PreStop)
	requests, ended := observe(h, hookpoints.PreAPIRequest), observe(h, hookpoints.OnEnd)
	if answer := h.prompt("hi"); answer != "2" {
		t.Errorf("answer %q", answer)
	}
	if err := h.End(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var depths []int
	for i, turn := range *turns {
		depths = append(depths, turn.RecursionDepth, (*lists)[i].RecursionDepth, (*requests)[i].RecursionDepth)
	}
	same(t, "depths", depths, []int{0, 0, 0, 0, 0, 0, 1, 1, 1})
	same(t, "pre_stop", []int{(*stops)[0].RecursionDepth, (*stops)[1].RecursionDepth}, []int{0, 1})
	same(t, "on_end", *ended, []hookpoints.OnEndPayload{{CurrentContext: "work", Reason: "user_exit", Turns: 1}})
}

// TestCancelledInMidStream keeps what has arrived, and asks nobody any more.
func TestCancelledInMidStream(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := newHarness(t, func(ctx context.Context, _ request, onText func(string)) (llm.Reply, error) {
		onText("hel")
		cancel()
		return llm.Reply{Text: "hel", ToolCalls: []llm.ToolCall{{ID: "c1", Name: "echo", Arguments: "{}"}}}, ctx.Err()
	})
	ended := observe(h, hookpoints.OnEnd)
	_, err := h.Prompt(ctx, "hi")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	same(t, "window", h.window(), []string{"context_created", "user hi", "assistant hel"})
	entries, err2 := h.Context.Window(t.Context())
	if err2 != nil || entries[2].Metadata == nil || !entries[2].Metadata.Interrupted {
		t.Errorf("the text is not marked: %+v, %v", entries, err2)
	}
	if err := h.End(ctx, err); err != nil {
		t.Fatal(err)
	}
	same(t, "on_end", *ended, []hookpoints.OnEndPayload{{CurrentContext: "work", Reason: "interrupt"}})
}

// TestCancelledInATool ends the turn; the call is stored and later gets a result that
// says what is known.
func TestCancelledInATool(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := newHarness(t, calls("slow", "{}", "echo", "{}"), says("hello"))
	h.tool("slow", func(tools.Call) tools.Result { cancel(); return tools.Result{} })
	if _, err := h.Prompt(ctx, "hi"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	h.prompt("go on")
	same(t, "the next request", h.model.requests[1].sent(),
		"user:hi assistant: tool:"+lostResult+" tool:"+lostResult+" user:go on")
}

func TestARequestThatIsTooLongSaysWhatHelps(t *testing.T) {
	for _, test := range []struct {
		window int
		want   string
	}{
		{1, "chibi -a"},
		{1_000_000, "set context_window_limit to what it accepts"},
	} {
		h := newHarness(t, fails("", llm.ErrTooLong))
		h.Settings.ContextWindow = test.window
		if _, err := h.Prompt(t.Context(), "hi"); !errors.Is(err, llm.ErrTooLong) ||
			!strings.HasSuffix(err.Error(), test.want) || !strings.Contains(err.Error(), "make the conversation shorter") {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// TestCancelledAtAPoint: nothing but on_turn_failed happens after the hook in which the run is
// cancelled, whichever it is.
func TestCancelledAtAPoint(t *testing.T) {
	inTurn := 0
	for _, point := range hookpoints.All() {
		t.Run(string(point.Name), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			h := newHarness(t, calls("large", "{}"), says("hello"))
			h.Settings.CacheThreshold = 5
			h.tool("large", func(tools.Call) tools.Result { return tools.Result{Text: "more than that"} })
			h.plug("p", plugin.Handlers{point.Name: plugin.HandlerFunc(
				func(context.Context, plugin.Event) (plugin.Answer, error) {
					cancel()
					return plugin.Answer{}, nil
				})})
			_, err := h.Prompt(ctx, "hi")
			if ctx.Err() == nil {
				return // no point of a turn
			}
			inTurn++
			log := h.untilFailed()
			if last := log[len(log)-1]; !errors.Is(err, context.Canceled) || last != string(point.Name) {
				t.Errorf("error %v; after %s comes %s", err, point.Name, last)
			}
		})
	}
	if inTurn != 15 {
		t.Errorf("%d points fired", inTurn)
	}
}
