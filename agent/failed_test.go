package agent

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
)

// TestATurnThatFails: hooks are told what failed, and what the model had answered.
func TestATurnThatFails(t *testing.T) {
	overloaded := errors.New("overloaded")
	for _, test := range []struct {
		name    string
		replies []reply
		setup   func(*harness)
		want    []hookpoints.OnTurnFailedPayload
	}{
		{"the server", []reply{fails("I wi", overloaded)}, nil, []hookpoints.OnTurnFailedPayload{
			{Status: "error", Kind: "server", Error: "overloaded", Response: "I wi"}}},
		{"the request is too long", []reply{fails("", llm.ErrTooLong)},
			func(h *harness) { h.Settings.ContextWindow = 1 }, []hookpoints.OnTurnFailedPayload{
				{Status: "error", Kind: "too_long", Error: "the request is too long for the model; the request has about 46 " +
					"tokens, context_window_limit is 1: make the conversation shorter with chibi -z, or empty it with chibi -a"}}},
		{"a bound", []reply{calls("echo", "{}")}, func(h *harness) { h.Settings.MaxSteps = 1 },
			[]hookpoints.OnTurnFailedPayload{{Status: "error", Kind: "bound", Error: "the model called tools in 1 responses " +
				"without an answer; stopped, as max_tool_rounds says"}}},
		{"the store", []reply{says("hi")}, func(h *harness) {
			h.Context = &faulty{Context: h.Context, method: "Append", nth: 1}
		}, []hookpoints.OnTurnFailedPayload{{Status: "error", Kind: "other", Error: errDisk.Error()}}},
		{"a prompt that a plugin refuses has not failed", nil, func(h *harness) {
			h.plug("p", answerAt(hookpoints.PreMessage, hookpoints.PreMessageAnswer{Block: true, Message: "no"}))
		}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, test.replies...)
			seen := observe(h, hookpoints.OnTurnFailed)
			if test.setup != nil {
				test.setup(h)
			}
			if _, err := h.Prompt(t.Context(), "hi"); err == nil {
				t.Error("the turn did not fail")
			}
			for i := range test.want {
				test.want[i].ContextName = "work"
			}
			same(t, "payloads", *seen, test.want)
		})
	}
}

// TestATurnThatIsInterrupted is told to hooks too, which can still answer.
func TestATurnThatIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := newHarness(t, func(ctx context.Context, _ request, _ func(string)) (llm.Reply, error) {
		cancel()
		return llm.Reply{Text: "I wi"}, fmt.Errorf("asking: %w", ctx.Err())
	})
	var hookErr error
	h.plug("p", plugin.HandlePoint(hookpoints.OnTurnFailed,
		func(ctx context.Context, _ hookpoints.OnTurnFailedPayload) (none hookpoints.None, err error) {
			hookErr = ctx.Err()
			return none, nil
		}))
	seen := observe(h, hookpoints.OnTurnFailed)
	if _, err := h.Prompt(ctx, "hi"); !errors.Is(err, context.Canceled) || hookErr != nil {
		t.Errorf("%v; in the hook %v", err, hookErr)
	}
	same(t, "payloads", *seen, []hookpoints.OnTurnFailedPayload{{ContextName: "work", Status: "interrupted",
		Error: "asking: context canceled", Response: "I wi"}})
}

// TestTheCallsOfAResponse are told to hooks together when all have their results.
func TestTheCallsOfAResponse(t *testing.T) {
	h := newHarness(t, calls("echo", `{"n":1}`, "walk", "{}", "echo", `{"n":2}`), says("hello"))
	h.Settings.MaxCalls = 2
	seen := observe(h, hookpoints.PostToolBatch)
	h.prompt("hi")
	same(t, "payloads", *seen, []hookpoints.PostToolBatchPayload{{ContextName: "work", Calls: []hookpoints.FinishedCall{
		{ToolName: "echo", Arguments: []byte(`{"n":1}`), ToolCallID: "c1", Status: "ran", Output: `{"n":1}`},
		{ToolName: "walk", Arguments: []byte(`{}`), ToolCallID: "c2", Status: "denied",
			Output: `Error: there is no tool "walk"`},
		{ToolName: "echo", Arguments: []byte(`{"n":2}`), ToolCallID: "c3", Status: "denied",
			Output: "Error: not run: at most 2 calls of one response are run"},
	}}})
}

// TestATurnThatEndsHasNoBatch, because no request follows.
func TestATurnThatEndsHasNoBatch(t *testing.T) {
	h := newHarness(t, calls("echo", "{}"))
	seen := observe(h, hookpoints.PostToolBatch)
	h.prompt("hi")
	if len(*seen) != lastRepeat || len(h.model.requests) != lastRepeat+1 {
		t.Errorf("%d batches in %d requests", len(*seen), len(h.model.requests))
	}
}
