package agent

import (
	"errors"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// endsWith checks how the turn of a prompt ends.
func endsWith(t *testing.T, h *harness, prompt string, want Outcome) {
	t.Helper()
	_, err := h.Prompt(t.Context(), prompt)
	var lacking *OutcomeError
	if errors.As(err, &lacking) && lacking.Outcome == want || err == nil && want == "" {
		return
	}
	t.Errorf("the turn ended with %v, want %q", err, want)
}

// TestOutcomes: what an answer lacks is an error beside the answer, and only if the turn ends so.
func TestOutcomes(t *testing.T) {
	cut := func(text, reason string, calls ...llm.ToolCall) reply {
		return finishes(llm.Reply{Text: text, FinishReason: reason, ToolCalls: calls})
	}
	unknown := cut("", "", llm.ToolCall{ID: "c", Name: "no_such_tool", Arguments: "{}"})
	half := cut("", "length", llm.ToolCall{ID: "c", Name: "x"})
	blocked := cut("", "", llm.ToolCall{ID: "c", Name: "guarded", Arguments: "{}"})
	for name, test := range map[string]struct {
		replies    []reply
		strict     bool
		want       Outcome
		unanswered bool
	}{
		"a whole answer":                        {[]reply{yes}, true, "", false},
		"nothing":                               {[]reply{says(" \n")}, false, Unanswered, true},
		"nothing after a call":                  {[]reply{endless, says("")}, false, "", false},
		"cut at its length":                     {[]reply{cut("so", "length")}, false, CutOff, false},
		"cut before its first word":             {[]reply{cut("", "max_tokens")}, false, CutOff, true},
		"filtered":                              {[]reply{cut("so", "content_filter")}, false, Filtered, false},
		"a call that was cut, then an answer":   {[]reply{half, yes}, false, "", false},
		"all calls refused":                     {[]reply{unknown, yes}, false, "", false},
		"all calls refused, strictly":           {[]reply{unknown, yes}, true, AllRefused, false},
		"a call that a plugin blocks, strictly": {[]reply{blocked, yes}, true, AllRefused, false},
		"one of two calls refused, strictly":    {[]reply{unknown, endless, yes}, true, "", false},
		"all calls refused and no word, strict": {[]reply{unknown, cut("", "length")}, true, CutOff, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, test.replies...)
			h.tool("guarded", func(tools.Call) tools.Result { return tools.Result{} })
			h.plug("guard", plugin.HandlePoint(hookpoints.PreTool, blockTool("guarded")))
			h.Settings.Strict = test.strict
			endsWith(t, h, "hi", test.want)
			unanswered, err := h.Context.Unanswered(t.Context())
			if (len(unanswered) > 0) != test.unanswered || err != nil {
				t.Errorf("the prompt has no answer: %v, %v", unanswered, err)
			}
		})
	}
}

// TestAContinuedAnswerIsWhole: a plugin continued the turn, so the person reads of the cut answer
// before the next one.
func TestAContinuedAnswerIsWhole(t *testing.T) {
	h := newHarness(t, finishes(llm.Reply{Text: "so", FinishReason: "length"}), yes)
	h.Settings.MaxFollowUps = 1
	h.plug("p", answerAt(hookpoints.PreStop, hookpoints.PreStopAnswer{FollowUpMessages: []string{"go on"}}))
	endsWith(t, h, "hi", "")
	h.noticed("the model's answer is incomplete", "pre_stop: the turn has been continued 1 times")
}
