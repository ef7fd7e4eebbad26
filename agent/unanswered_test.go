package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// counting is a harness with the tool count, which answers how often it was called.
func counting(t *testing.T, replies ...reply) (h *harness, called *int) {
	t.Helper()
	h, called = newHarness(t, replies...), new(int)
	h.tool("count", func(tools.Call) tools.Result {
		*called++
		return tools.Result{Text: fmt.Sprint(*called)}
	})
	return h, called
}

var (
	broken     = fails("", errors.New("out of order"))
	yes        = says("yes")
	halfway    = fails("ye", errors.New("cut off"))
	nothing    = says("")
	callsCount = calls("count", "{}")
)

// TestWhatIsSentAfterAFailure asks prompts one after another; "" retries.
func TestWhatIsSentAfterAFailure(t *testing.T) {
	for _, test := range []struct {
		name    string
		answers []reply
		prompts []string
		last    string // request
	}{
		{"three failures", []reply{broken, broken, broken, yes}, []string{"a", "b", "c", "d"}, "user:d"},
		{"a retry", []reply{yes, broken, yes}, []string{"a", "b", ""}, "user:a assistant:yes user:b"},
		{"a retry that broken and is retried", []reply{broken, broken, yes}, []string{"a", "", ""}, "user:a"},
		{"an empty answer", []reply{nothing, yes}, []string{"a", "b"}, "user:b"},
		{"a partial answer is one", []reply{halfway, yes}, []string{"a", "b"}, "user:a assistant:ye user:b"},
		{"a failure after a tool ran", []reply{callsCount, broken, yes}, []string{"a", "b"},
			"user:a assistant: tool:1 user:b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, test.answers...)
			h.tool("count", func(tools.Call) tools.Result { return tools.Result{Text: "1"} })
			for _, prompt := range test.prompts {
				if prompt == "" {
					h.Retry(t.Context())
				} else {
					h.Prompt(t.Context(), prompt)
				}
			}
			if got := h.model.requests[len(h.model.requests)-1].sent(); got != test.last {
				t.Errorf("the last request was %q, want %q", got, test.last)
			}
		})
	}
}

// TestMailIsDeliveredByTheAnswer, not by the prompt that it came with.
func TestMailIsDeliveredByTheAnswer(t *testing.T) {
	for name, first := range map[string]reply{"a failure": broken, "an empty answer": nothing} {
		h := newHarness(t, first, yes, yes)
		if err := h.context("other").Send("work", "other", "hello"); err != nil {
			t.Fatal(err)
		}
		for _, prompt := range []string{"one", "two", "three"} {
			h.Prompt(t.Context(), prompt)
		}
		frame := inboxText([]contexts.Mail{{From: "other", Content: "hello"}})
		want := []string{"user:" + frame + "one", "user:" + frame + "two", "user:" + frame + "two assistant:yes user:three"}
		same(t, name, h.sent(), want)
		if mail, err := h.Context.Mail(t.Context()); len(mail) > 0 || err != nil {
			t.Errorf("%s: mail %v, %v", name, mail, err)
		}
	}
}

func TestARetryTakesTheWayOfAnyPrompt(t *testing.T) {
	h := newHarness(t, broken, yes)
	var seen []string
	h.plug("redact", plugin.HandlePoint(hookpoints.PreMessage,
		func(_ context.Context, p hookpoints.PreMessagePayload) (hookpoints.PreMessageAnswer, error) {
			seen = append(seen, p.Prompt)
			text := strings.ReplaceAll(p.Prompt, "hunter2", "***")
			return hookpoints.PreMessageAnswer{Prompt: &text}, nil
		}))
	if _, err := h.Prompt(t.Context(), "it is hunter2"); err == nil {
		t.Fatal("nothing failed")
	}
	h.noticed("the prompt got no answer; later prompts are sent without it, and chibi retry sends it again")
	if text, err := h.Retry(t.Context()); text != "yes" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	same(t, "prompts at pre_message", seen, []string{"it is hunter2", "it is ***"})
	if got := h.model.requests[1].sent(); got != "user:it is ***" {
		t.Errorf("sent %q", got)
	}
	if _, err := h.Retry(t.Context()); err == nil || !strings.Contains(err.Error(), "there is nothing to send again") {
		t.Errorf("a second retry: %v", err)
	}
}

// TestAPromptOfARecipeIsNotRetried: it is run again by its recipe, which says what it
// may use.
func TestAPromptOfARecipeIsNotRetried(t *testing.T) {
	h := newHarness(t, broken)
	h.Recipe = &Recipe{Name: "review"}
	h.Prompt(t.Context(), "hi")
	if _, err := h.Retry(t.Context()); err == nil || !strings.Contains(err.Error(), "chibi recipe run review") {
		t.Errorf("%v", err)
	}
}

// TestACutResponseRunsNoCalls, whether its end or the server says that it is cut.
func TestACutResponseRunsNoCalls(t *testing.T) {
	for _, reason := range []string{"length", "content_filter"} {
		cut := llm.Reply{ToolCalls: []llm.ToolCall{{ID: "c", Name: "count", Arguments: "{}"}}, FinishReason: reason}
		h, called := counting(t, finishes(cut), yes)
		h.prompt("go")
		if got := h.model.requests[1].sent(); *called > 0 ||
			!strings.Contains(got, "tool:Error: not run: the response was cut off") {
			t.Errorf("%s: %d calls, then %q", reason, *called, got)
		}
		h.noticed("the model's answer is incomplete")
	}
	h, called := counting(t, func(context.Context, request, func(string)) (llm.Reply, error) {
		reply := llm.Reply{ToolCalls: []llm.ToolCall{{ID: "c", Name: "count", Arguments: "{}"}}}
		return reply, errors.New("the answer is too long")
	})
	if _, err := h.Prompt(t.Context(), "go"); err == nil || *called > 0 {
		t.Errorf("%d calls, %v", *called, err)
	}
}

// TestCallsHaveIDsOfTheirOwn, in one response and in the whole conversation.
func TestCallsHaveIDsOfTheirOwn(t *testing.T) {
	call := llm.ToolCall{ID: "c", Name: "count", Arguments: "{}"}
	h, called := counting(t, finishes(llm.Reply{ToolCalls: []llm.ToolCall{call, call}}),
		finishes(llm.Reply{ToolCalls: []llm.ToolCall{call}}), yes)
	h.prompt("go")
	window, err := h.Context.Window(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range messagesOf(window) {
		for _, call := range m.ToolCalls {
			ids = append(ids, call.ID)
		}
		if m.Role == "tool" {
			ids = append(ids, m.ToolCallID+"="+m.Content)
		}
	}
	same(t, "ids", ids, []string{"c", "c_2", "c=1", "c_2=2", "c_3", "c_3=3"})
	if *called != 3 {
		t.Errorf("%d calls", *called)
	}
}

// TestACutSummaryChangesNothing, asked for by hand or by a recipe.
func TestACutSummaryChangesNothing(t *testing.T) {
	h := newHarness(t, yes, yes, finishes(llm.Reply{Text: "so far", FinishReason: "length"}))
	for _, prompt := range []string{"one", "two"} {
		h.prompt(prompt)
	}
	if _, err := h.Compact(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "nothing has changed: the model's summary is incomplete: "+
			"it reached its length limit") {
		t.Errorf("compacting: %v", err)
	}
	h.plug("p", answerAt(hookpoints.PreStop, hookpoints.PreStopAnswer{Recipe: CompactRecipe}))
	endsWith(t, h, "three", CutOff)
	window, err := h.Context.Window(t.Context())
	if count := len(contexts.Messages(window)); count != 6 || err != nil {
		t.Errorf("%d messages are left, %v", count, err)
	}
}
