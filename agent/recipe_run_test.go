package agent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
)

// atPostTurn asks for something after the first response of the conversation.
func atPostTurn(answer hookpoints.PostTurnAnswer) plugin.Handlers {
	return plugin.HandlePoint(hookpoints.PostTurn,
		func(_ context.Context, p hookpoints.PostTurnPayload) (hookpoints.PostTurnAnswer, error) {
			if p.TurnNumber > 1 || p.Nested {
				return hookpoints.PostTurnAnswer{}, nil
			}
			return answer, nil
		})
}

// TestARecipeOfAHook runs on the conversation, beside it, and its answer takes the
// place of what it was about.
func TestARecipeOfAHook(t *testing.T) {
	h := newHarness(t, says("one"), calls("echo", "{}"), calls("echo", "{}"), says("summary"), says("done"))
	h.prompt("old")
	if err := h.Context.SetGoals("a goal"); err != nil {
		t.Fatal(err)
	}
	if err := h.Context.Compact("so far", nil); err != nil {
		t.Fatal(err)
	}
	h.plug("p", atPostTurn(hookpoints.PostTurnAnswer{Recipe: "review", RecipeArgs: map[string]string{"how": " well"}}))
	turns, tools := observe(h, hookpoints.PostTurn), observe(h, hookpoints.PreTool)
	h.prompt("new")
	same(t, "window", h.window(), []string{"compaction", "user summary", "call echo {}",
		"result echo {}", "assistant done"})
	if summary, err := h.Context.Summary(t.Context()); summary != "" || err != nil {
		t.Errorf("summary %q, %v", summary, err)
	}
	about := h.model.requests[2].Messages
	if got := about[len(about)-1].Content; got != "--- EARLIER SUMMARY ---\nso far\n\n--- GOALS ---\na goal\n\n"+
		"--- CONVERSATION ---\n[USER]: new\n\n[TOOL CALL echo]: {}\n\n[TOOL RESULT echo]: {}\n\n"+
		"--- END OF THE CONVERSATION ---\n\nRun review well." {
		t.Errorf("the recipe is asked %q", got)
	}
	nested := []bool{(*turns)[0].Nested, (*turns)[1].Nested, (*turns)[2].Nested, (*turns)[3].Nested}
	same(t, "nested at post_turn", nested, []bool{false, true, true, false})
	same(t, "recipes", []string{(*turns)[0].Recipe, (*turns)[1].Recipe, (*tools)[0].Recipe, (*tools)[1].Recipe},
		[]string{"", "review", "", "review"})
	var purposes []string
	for _, e := range h.requestEvents() {
		purposes = append(purposes, e.For)
	}
	same(t, "purposes", purposes, []string{"", "", "recipe review", "recipe review", ""})
}

// TestARecipeThatFails leaves the conversation as it is, and the turn goes on.
func TestARecipeThatFails(t *testing.T) {
	for _, test := range []struct {
		name, recipe string
		reply        reply
		notice       string
	}{
		{"there is none", "unknown", says("x"), `the recipe "unknown" failed and the conversation stays as it is: there is`},
		{"it fails", "r", fails("", errors.New("out of order")), `the recipe "r" failed and the conversation stays as it`},
		{"it says nothing", "r", finishes(llm.Reply{Text: " "}), `the recipe "r" failed`},
		{"it is cut off", "r", finishes(llm.Reply{Text: "sum", FinishReason: "length"}), "the model's answer is incomplete"},
		{"it calls without an end", "r", calls("echo", "{}"), `the recipe "r" failed`},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, calls("echo", "{}"), test.reply, test.reply, says("done"))
			h.Settings.MaxSteps = 2
			h.plug("p", atPostTurn(hookpoints.PostTurnAnswer{Recipe: test.recipe}))
			h.Prompt(t.Context(), "hi")
			same(t, "window", h.window()[:4], []string{"context_created", "user hi", "call echo {}", "result echo {}"})
			if len(h.notices) == 0 || !strings.HasPrefix(h.notices[0], test.notice) {
				t.Errorf("notices %q, want %q", h.notices, test.notice)
			}
		})
	}
}

func TestARecipeThatIsCancelledEndsTheTurn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := newHarness(t, says("one"), func(ctx context.Context, _ request, _ func(string)) (llm.Reply, error) {
		cancel()
		return llm.Reply{}, ctx.Err()
	})
	h.plug("p", atPostTurn(hookpoints.PostTurnAnswer{Recipe: "r"}))
	if _, err := h.Prompt(ctx, "hi"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	h.noticed()
}

// TestWhatHooksAskForTogether: messages win over a recipe, the recipe that runs is not
// run again, and a nested turn replaces nothing.
func TestWhatHooksAskForTogether(t *testing.T) {
	messages := []hookpoints.ChatMessage{{Role: "user", Content: "sum"}}
	replaced := []string{"compaction", "user sum"}
	for _, test := range []struct {
		name    string
		recipe  *Recipe
		plugins []plugin.Handlers
		window  []string
		notices []string
		details int
	}{
		{"messages and a recipe", nil,
			[]plugin.Handlers{atPostTurn(hookpoints.PostTurnAnswer{Messages: messages, Recipe: "r"})}, replaced,
			[]string{`post_turn: the conversation is replaced, the recipe "r" is not run`}, 0},
		{"messages and the recipe that runs", &Recipe{Name: "r"},
			[]plugin.Handlers{atPostTurn(hookpoints.PostTurnAnswer{Messages: messages, Recipe: "r"})}, replaced, nil, 1},
		{"a recipe that asks for itself", nil,
			[]plugin.Handlers{answerAt(hookpoints.PostTurn, hookpoints.PostTurnAnswer{Recipe: "r"})},
			[]string{"compaction", "user done"}, nil, 1},
		{"messages in a nested turn", nil,
			[]plugin.Handlers{atPostTurn(hookpoints.PostTurnAnswer{Recipe: "r"}), plugin.HandlePoint(hookpoints.PostTurn,
				func(_ context.Context, p hookpoints.PostTurnPayload) (a hookpoints.PostTurnAnswer, err error) {
					if p.Nested {
						a.Messages = messages
					}
					return a, nil
				})}, []string{"compaction", "user done"},
			[]string{`post_turn: the recipe "r" runs detached from the conversation and cannot replace it; ignored`}, 0},
		{"messages at pre_stop", nil,
			[]plugin.Handlers{answerAt(hookpoints.PreStop, hookpoints.PreStopAnswer{Messages: messages})}, replaced, nil, 0},
		{"a recipe at pre_stop", nil,
			[]plugin.Handlers{answerAt(hookpoints.PreStop, hookpoints.PreStopAnswer{Recipe: "r"})},
			[]string{"compaction", "user done"}, nil, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, says("done"))
			h.Recipe = test.recipe
			for i, handlers := range test.plugins {
				h.plug(string(rune('p'+i)), handlers)
			}
			h.prompt("hi")
			same(t, "window", h.window(), test.window)
			h.noticed(test.notices...)
			if len(h.details) != test.details {
				t.Errorf("details %q", h.details)
			}
		})
	}
}

// TestFollowUpsAreOneMessageEach, and one prompt for post_message.
func TestFollowUpsAreOneMessageEach(t *testing.T) {
	h := newHarness(t, says("one"), says("two"))
	h.Settings.MaxFollowUps = 1
	answer := hookpoints.PreStopAnswer{FollowUpMessages: []string{"more", "and more"}}
	h.plug("p", answerAt(hookpoints.PreStop, answer))
	stops, posts := observe(h, hookpoints.PreStop), observe(h, hookpoints.PostMessage)
	h.prompt("hi")
	same(t, "the second request", h.model.requests[1].sent(), "user:hi assistant:one user:more user:and more")
	same(t, "follow-ups", []int{(*stops)[0].FollowUps, (*stops)[1].FollowUps}, []int{0, 1})
	same(t, "post_message", *posts, []hookpoints.PostMessagePayload{{Prompt: "hi", Response: "one", ContextName: "work"},
		{Prompt: "more\n\nand more", Response: "two", ContextName: "work"}})
	var told []Event
	for _, e := range h.events {
		if e.Kind == EventFollowUp {
			told = append(told, e)
		}
	}
	same(t, "events", told, []Event{{Kind: EventFollowUp, Text: "more", By: "p"},
		{Kind: EventFollowUp, Text: "and more", By: "p"}})
}

// TestAFollowUpWithoutAnAnswerIsRetried: it is the latest prompt.
func TestAFollowUpWithoutAnAnswerIsRetried(t *testing.T) {
	h := newHarness(t, says("one"), fails("", errors.New("out of order")), says("two"))
	h.Settings.MaxFollowUps = 1
	h.plug("p", answerAt(hookpoints.PreStop, hookpoints.PreStopAnswer{FollowUpMessages: []string{"more", "and more"}}))
	if _, err := h.Prompt(t.Context(), "hi"); err == nil {
		t.Fatal("nothing failed")
	}
	if _, err := h.Retry(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "the last request", h.model.requests[2].sent(), "user:hi assistant:one user:more\n\nand more")
}

// TestAnIncompleteSummaryStaysOut: what a recipe's cut answer would replace stays.
func TestAnIncompleteSummaryStaysOut(t *testing.T) {
	messages := []hookpoints.ChatMessage{{Role: "user", Content: "sum"}}
	for _, test := range []struct {
		drop    bool
		notices []string
	}{
		{true, []string{"the conversation stays as it is"}},
		{false, nil},
	} {
		h := newHarness(t, finishes(llm.Reply{Text: "sum", FinishReason: "length"}))
		h.plug("p", answerAt(hookpoints.PostTurn, hookpoints.PostTurnAnswer{Messages: messages, DropSummary: test.drop}))
		endsWith(t, h, "hi", CutOff)
		h.noticed(test.notices...)
		if replaced := h.window()[0] == "compaction"; replaced == test.drop {
			t.Errorf("window %q", h.window())
		}
	}
}
