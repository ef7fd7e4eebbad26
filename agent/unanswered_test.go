package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
	"github.com/google/go-cmp/cmp"
)

// answer is how a scripted model answers one request.
type answer struct {
	reply llm.Reply
	err   error
}

// scriptedModel answers in turn, and keeps the messages that it was sent.
type scriptedModel struct {
	answers []answer
	asked   []string
}

func (m *scriptedModel) Stream(_ context.Context, body json.RawMessage, _ func(string)) (llm.Reply, error) {
	var request struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return llm.Reply{}, err
	}
	var list []string
	for _, message := range request.Messages {
		list = append(list, message.Role+":"+message.Content)
	}
	m.asked = append(m.asked, strings.Join(list, " "))
	a := m.answers[min(len(m.asked), len(m.answers))-1]
	return a.reply, a.err
}

// counted is a tool that counts how often it was called.
type counted struct{ calls int }

func (*counted) Spec() tools.Spec { return tools.Spec{Name: "count"} }
func (c *counted) Call(context.Context, tools.Call) (tools.Result, error) {
	c.calls++
	return tools.Result{Text: fmt.Sprint(c.calls)}, nil
}

// talker is an agent with a scripted model and the tool count.
func talker(t *testing.T, answers ...answer) (*Agent, *scriptedModel, *counted) {
	t.Helper()
	c := workContext(t)
	m, tool, set := &scriptedModel{answers: answers}, &counted{}, &tools.Set{}
	if err := set.Add(tool); err != nil {
		t.Fatal(err)
	}
	return &Agent{Context: c, Model: m, Tools: set, Host: &plugin.Host{}}, m, tool
}

var (
	fails      = answer{err: errors.New("out of order")}
	answersYes = answer{reply: llm.Reply{Text: "yes", FinishReason: "stop"}}
	halfway    = answer{reply: llm.Reply{Text: "ye"}, err: errors.New("cut off")}
	nothing    = answer{reply: llm.Reply{FinishReason: "stop"}}
	calls      = answer{reply: llm.Reply{ToolCalls: []llm.ToolCall{{ID: "c", Name: "count", Arguments: "{}"}}}}
)

// TestWhatIsSentAfterAFailure asks prompts one after another; "" retries.
func TestWhatIsSentAfterAFailure(t *testing.T) {
	for _, test := range []struct {
		name    string
		answers []answer
		prompts []string
		last    string // request
	}{
		{"three failures", []answer{fails, fails, fails, answersYes}, []string{"a", "b", "c", "d"}, "user:d"},
		{"a retry", []answer{answersYes, fails, answersYes}, []string{"a", "b", ""}, "user:a assistant:yes user:b"},
		{"a retry that fails and is retried", []answer{fails, fails, answersYes}, []string{"a", "", ""}, "user:a"},
		{"an empty answer", []answer{nothing, answersYes}, []string{"a", "b"}, "user:b"},
		{"a partial answer is one", []answer{halfway, answersYes}, []string{"a", "b"}, "user:a assistant:ye user:b"},
		{"a failure after a tool ran", []answer{calls, fails, answersYes}, []string{"a", "b"},
			"user:a assistant: tool:1 user:b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, m, _ := talker(t, test.answers...)
			for _, prompt := range test.prompts {
				if prompt == "" {
					a.Retry(t.Context())
				} else {
					a.Prompt(t.Context(), prompt)
				}
			}
			if got := m.asked[len(m.asked)-1]; got != test.last {
				t.Errorf("the last request was %q, want %q", got, test.last)
			}
		})
	}
}

// TestMailIsDeliveredByTheAnswer, not by the prompt that it came with.
func TestMailIsDeliveredByTheAnswer(t *testing.T) {
	for name, first := range map[string]answer{"a failure": fails, "an empty answer": nothing} {
		a, m, _ := talker(t, first, answersYes, answersYes)
		store := contexts.NewMemory()
		a.Context, _ = store.Context("work")
		other, err := store.Context("other")
		if err == nil {
			err = other.Send("work", "other", "hello")
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, prompt := range []string{"one", "two", "three"} {
			a.Prompt(t.Context(), prompt)
		}
		frame := inboxText([]contexts.Mail{{From: "other", Content: "hello"}})
		want := []string{"user:" + frame + "one", "user:" + frame + "two", "user:" + frame + "two assistant:yes user:three"}
		if diff := cmp.Diff(want, m.asked); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if mail, err := a.Context.Mail(t.Context()); len(mail) > 0 || err != nil {
			t.Errorf("%s: mail %v, %v", name, mail, err)
		}
	}
}

func TestARetryTakesTheWayOfAnyPrompt(t *testing.T) {
	a, m, _ := talker(t, fails, answersYes)
	var seen []string
	handlers := plugin.HandlePoint(hookpoints.PreMessage,
		func(_ context.Context, p hookpoints.PreMessagePayload) (hookpoints.PreMessageAnswer, error) {
			seen = append(seen, p.Prompt)
			text := strings.ReplaceAll(p.Prompt, "hunter2", "***")
			return hookpoints.PreMessageAnswer{Prompt: &text}, nil
		})
	a.Host = &plugin.Host{Plugins: []plugin.Plugin{{Name: "redact", Hooks: handlers.Hooks(), Handler: handlers}}}
	if _, err := a.Prompt(t.Context(), "it is hunter2"); err == nil {
		t.Fatal("nothing failed")
	}
	if text, err := a.Retry(t.Context()); text != "yes" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if diff := cmp.Diff([]string{"it is hunter2", "it is ***"}, seen); diff != "" || m.asked[1] != "user:it is ***" {
		t.Errorf("sent %q (-want +got):\n%s", m.asked[1], diff)
	}
	if _, err := a.Retry(t.Context()); err == nil || !strings.Contains(err.Error(), "there is nothing to send again") {
		t.Errorf("a second retry: %v", err)
	}
}

// TestACutResponseRunsNoCalls, whether its end or the server says that it is cut.
func TestACutResponseRunsNoCalls(t *testing.T) {
	for _, reason := range []string{"length", "content_filter"} {
		cut := calls
		cut.reply.FinishReason = reason
		a, m, tool := talker(t, cut, answersYes)
		var notices []string
		a.Output.Notice = func(text string) { notices = append(notices, text) }
		if _, err := a.Prompt(t.Context(), "go"); err != nil {
			t.Fatal(err)
		}
		if tool.calls > 0 || !strings.Contains(m.asked[1],
			"tool:Error: not run: the response was cut off") || len(notices) != 1 {
			t.Errorf("%s: %d calls, then %q; notices %q", reason, tool.calls, m.asked[1], notices)
		}
	}
	broken := calls
	broken.err = errors.New("the answer is too long")
	a, _, tool := talker(t, broken)
	if _, err := a.Prompt(t.Context(), "go"); err == nil || tool.calls > 0 {
		t.Errorf("%d calls, %v", tool.calls, err)
	}
}

// TestCallsHaveIDsOfTheirOwn, in one response and in the whole conversation.
func TestCallsHaveIDsOfTheirOwn(t *testing.T) {
	twice := answer{reply: llm.Reply{ToolCalls: append(calls.reply.ToolCalls, calls.reply.ToolCalls...)}}
	a, _, tool := talker(t, twice, calls, answersYes)
	if _, err := a.Prompt(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	window, err := a.Context.Window(t.Context())
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
	if diff := cmp.Diff([]string{"c", "c_2", "c=1", "c_2=2", "c_3", "c_3=3"}, ids); diff != "" || tool.calls != 3 {
		t.Errorf("%d calls (-want +got):\n%s", tool.calls, diff)
	}
}

// TestACutSummaryChangesNothing, asked for by hand or by a recipe.
func TestACutSummaryChangesNothing(t *testing.T) {
	cut := answer{reply: llm.Reply{Text: "so far", FinishReason: "length"}}
	a, _, _ := talker(t, answersYes, answersYes, cut)
	a.Recipes = func(context.Context, string, map[string]string) (Recipe, error) {
		return Recipe{Name: CompactRecipe, Prompt: "sum up"}, nil
	}
	for _, prompt := range []string{"one", "two"} {
		if _, err := a.Prompt(t.Context(), prompt); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Compact(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "nothing has changed: the model's summary is not whole: it reached its length limit") {
		t.Errorf("compacting: %v", err)
	}
	handlers := plugin.HandlePoint(hookpoints.PreStop,
		func(context.Context, hookpoints.PreStopPayload) (hookpoints.PreStopAnswer, error) {
			return hookpoints.PreStopAnswer{Recipe: CompactRecipe}, nil
		})
	a.Host = &plugin.Host{Plugins: []plugin.Plugin{{Name: "p", Hooks: handlers.Hooks(), Handler: handlers}}}
	if _, err := a.Prompt(t.Context(), "three"); err != nil {
		t.Fatal(err)
	}
	window, err := a.Context.Window(t.Context())
	if count := len(contexts.Messages(window)); count != 6 || err != nil {
		t.Errorf("%d messages are left, %v", count, err)
	}
}
