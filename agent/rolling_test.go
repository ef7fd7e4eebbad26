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
	"github.com/chibi-host/chibi/tools"
	"github.com/google/go-cmp/cmp"
)

// model answers each request with the next function; the last one answers all
// further ones.
type model struct {
	answers  []func(body string) (string, error)
	requests []string
}

func (m *model) Stream(_ context.Context, body json.RawMessage, onText func(string)) (llm.Reply, error) {
	m.requests = append(m.requests, string(body))
	text, err := m.answers[min(len(m.requests), len(m.answers))-1](string(body))
	if err == nil {
		onText(text)
	}
	return llm.Reply{Text: text}, err
}

func says(text string) func(string) (string, error) {
	return func(string) (string, error) { return text, nil }
}

// chooseAll answers with every id that it is shown, and some that it is not.
func chooseAll(body string) (string, error) {
	ids := regexp.MustCompile(`\\"id\\": \\"([^\\]+)\\"`).FindAllStringSubmatch(body, -1)
	list := []string{"unknown"}
	for _, id := range ids {
		list = append(list, id[1])
	}
	data, err := json.Marshal(list)
	return "These: " + string(data) + ".", err
}

// crowded is an agent in a context over its threshold, with six exchanges; the
// second has a tool call.
func crowded(t *testing.T, answers ...func(string) (string, error)) (*Agent, *model) {
	t.Helper()
	c := workContext(t)
	for i := range 6 {
		entries := []contexts.Entry{contexts.UserMessage("user", "work", fmt.Sprint("question ", i))}
		if i == 1 {
			entries = append(entries, contexts.ToolCall("work", "ls", "c1", "{}"),
				contexts.ToolResult("work", "ls", "c1", "files"))
		}
		if err := c.Append(append(entries, contexts.AssistantMessage("work", fmt.Sprint("answer ", i)))...); err != nil {
			t.Fatal(err)
		}
	}
	m := &model{answers: answers}
	return &Agent{
		Context: c, Model: m, Tools: &tools.Set{},
		Recipes: func(_ context.Context, name string, _ map[string]string) (Recipe, error) {
			return Recipe{Name: name, Prompt: "Sum it up."}, nil
		},
		Settings: Settings{Model: "m", ContextWindow: 10, AutoCompact: true, CompactPercent: 50, CompactDropPercent: 50},
	}, m
}

// said are the messages of the window.
func said(t *testing.T, a *Agent) (list []string) {
	t.Helper()
	window, err := a.Context.Window(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range window {
		if e.Type == contexts.TypeMessage {
			list = append(list, e.Content)
		}
	}
	return list
}

func TestTheNewestExchangeStaysWhateverTheModelChooses(t *testing.T) {
	a, m := crowded(t, chooseAll, says("summary"), says("done"))
	if answer, err := a.Prompt(t.Context(), "question 6"); err != nil || answer != "done" {
		t.Fatalf("answer %q, %v", answer, err)
	}
	if diff := cmp.Diff([]string{"question 5", "answer 5", "question 6", "done"}, said(t, a)); diff != "" {
		t.Errorf("window (-want +got):\n%s", diff)
	}
	if summary, err := a.Context.Summary(t.Context()); summary != "summary" || err != nil {
		t.Errorf("summary %q, %v", summary, err)
	}
	if !strings.Contains(m.requests[1], "[TOOL CALL ls]") || strings.Contains(m.requests[2], `"tool_calls"`) {
		t.Errorf("a tool call left without its result, or was not summarized:\n%s\n%s", m.requests[1], m.requests[2])
	}
}

func TestTheOldestLeaveIfTheModelDoesNotChoose(t *testing.T) {
	for name, choice := range map[string]func(string) (string, error){
		"no list":     says("I would rather not."),
		"unknown ids": says(`["a", "b"]`),
		"no ids":      says(`[1, {"a": 2}]`),
		"a failure":   func(string) (string, error) { return "", errors.New("out of order") },
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := crowded(t, choice, says("summary"), says("done"))
			if _, err := a.Prompt(t.Context(), "question 6"); err != nil {
				t.Fatal(err)
			}
			want := []string{"question 4", "answer 4", "question 5", "answer 5", "question 6", "done"}
			if diff := cmp.Diff(want, said(t, a)); diff != "" {
				t.Errorf("window (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAFailedSummaryChangesNothingAndThePromptIsAnswered(t *testing.T) {
	for name, summary := range map[string]func(string) (string, error){
		"empty": says(" \n"), "failure": func(string) (string, error) { return "", errors.New("out of order") },
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := crowded(t, chooseAll, summary, says("done"))
			var notices []string
			a.Output.Notice = func(text string) { notices = append(notices, text) }
			before := said(t, a)
			if answer, err := a.Prompt(t.Context(), "question 6"); err != nil || answer != "done" {
				t.Fatalf("answer %q, %v", answer, err)
			}
			if diff := cmp.Diff(append(before, "question 6", "done"), said(t, a)); diff != "" {
				t.Errorf("window (-want +got):\n%s", diff)
			}
			if len(notices) != 1 || !strings.Contains(notices[0], `context "work" could not be compacted and goes on as it is`) {
				t.Errorf("notices = %q", notices)
			}
		})
	}
}

func TestAShortConversationIsNotCompacted(t *testing.T) {
	c := workContext(t)
	m := &model{answers: []func(string) (string, error){says("done")}}
	a := &Agent{Context: c, Model: m, Tools: &tools.Set{}, Settings: Settings{ContextWindow: 1, AutoCompact: true}}
	for range 2 { // far over the threshold, but there is nothing that may leave
		if answer, err := a.Prompt(t.Context(), "a question that is too long"); err != nil || answer != "done" {
			t.Fatalf("answer %q, %v", answer, err)
		}
	}
	if len(m.requests) != 2 {
		t.Errorf("%d requests, want one for each prompt", len(m.requests))
	}
}

func FuzzChosenIDs(f *testing.F) {
	f.Add(`Here: ["a", "b"].`)
	f.Add("][")
	f.Fuzz(func(t *testing.T, answer string) {
		fuzztest.Memory(t)
		chosenIDs(answer)
	})
}
