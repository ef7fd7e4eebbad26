package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/llm"
)

// chooseAll answers with every id that it is shown, and some that it is not.
func chooseAll(_ context.Context, r request, _ func(string)) (llm.Reply, error) {
	ids := regexp.MustCompile(`\\"id\\": \\"([^\\]+)\\"`).FindAllStringSubmatch(r.raw, -1)
	list := []string{"unknown"}
	for _, id := range ids {
		list = append(list, id[1])
	}
	data, err := json.Marshal(list)
	return llm.Reply{Text: "These: " + string(data) + "."}, err
}

// crowded is an agent in a context over its threshold, with six exchanges; the
// second has a tool call.
func crowded(t *testing.T, replies ...reply) *harness {
	t.Helper()
	h := newHarness(t, replies...)
	for i := range 6 {
		entries := []contexts.Entry{contexts.UserMessage("user", "work", fmt.Sprint("question ", i))}
		if i == 1 {
			entries = append(entries, contexts.ToolCall("work", "ls", "c1", "{}"),
				contexts.ToolResult("work", "ls", "c1", "files"))
		}
		if err := h.Context.Append(append(entries,
			contexts.AssistantMessage("work", fmt.Sprint("answer ", i)))...); err != nil {
			t.Fatal(err)
		}
	}
	h.Settings = Settings{Model: "m", ContextWindow: 10, AutoCompact: true, CompactPercent: 50, CompactDropPercent: 50}
	return h
}

func TestTheNewestExchangeStaysWhateverTheModelChooses(t *testing.T) {
	h := crowded(t, chooseAll, says("summary"), says("done"))
	if answer := h.prompt("question 6"); answer != "done" {
		t.Fatalf("answer %q", answer)
	}
	same(t, "window", h.window(), []string{"compaction", "user question 5", "assistant answer 5", "user question 6",
		"assistant done"})
	if summary, err := h.Context.Summary(t.Context()); summary != "summary" || err != nil {
		t.Errorf("summary %q, %v", summary, err)
	}
	if summary, next := h.model.requests[1].raw, h.model.requests[2].raw; !strings.Contains(summary, "[TOOL CALL ls]") ||
		strings.Contains(next, `"tool_calls"`) {
		t.Errorf("a tool call left without its result, or was not summarized:\n%s\n%s", summary, next)
	}
}

func TestTheOldestLeaveIfTheModelDoesNotChoose(t *testing.T) {
	for name, choice := range map[string]reply{
		"no list":     says("I would rather not."),
		"unknown ids": says(`["a", "b"]`),
		"no ids":      says(`[1, {"a": 2}]`),
		"a failure":   fails("", errors.New("out of order")),
	} {
		t.Run(name, func(t *testing.T) {
			h := crowded(t, choice, says("summary"), says("done"))
			h.prompt("question 6")
			same(t, "window", h.window(), []string{"compaction", "user question 4", "assistant answer 4", "user question 5",
				"assistant answer 5", "user question 6", "assistant done"})
		})
	}
}

func TestAFailedSummaryChangesNothingAndThePromptIsAnswered(t *testing.T) {
	for name, summary := range map[string]reply{
		"empty": says(" \n"), "failure": fails("", errors.New("out of order")),
	} {
		t.Run(name, func(t *testing.T) {
			h := crowded(t, chooseAll, summary, says("done"))
			before := h.window()
			if answer := h.prompt("question 6"); answer != "done" {
				t.Fatalf("answer %q", answer)
			}
			same(t, "window", h.window(), append(before, "user question 6", "assistant done"))
			h.noticed(`context "work" could not be compacted and continues as it is`)
		})
	}
}

func TestAShortConversationIsNotCompacted(t *testing.T) {
	h := newHarness(t, says("done"))
	h.Settings = Settings{ContextWindow: 1, AutoCompact: true}
	for range 2 { // far over the threshold, but there is nothing that may leave
		if answer := h.prompt("a question that is too long"); answer != "done" {
			t.Fatalf("answer %q", answer)
		}
	}
	if len(h.model.requests) != 2 {
		t.Errorf("%d requests, want one for each prompt", len(h.model.requests))
	}
}

// TestAPromptWithoutAnAnswerIsNotSentAgain, where there was nothing to compact either.
func TestAPromptWithoutAnAnswerIsNotSentAgain(t *testing.T) {
	h := newHarness(t, fails("", errors.New("out of order")), says("done"))
	h.Settings = Settings{ContextWindow: 1, AutoCompact: true}
	h.Prompt(t.Context(), "one")
	h.prompt("two")
	same(t, "requests", h.sent(), []string{"user:one", "user:two"})
}

func FuzzChosenIDs(f *testing.F) {
	f.Add(`Here: ["a", "b"].`)
	f.Add("][")
	f.Fuzz(func(t *testing.T, answer string) {
		fuzztest.Memory(t)
		chosenIDs(answer)
	})
}
