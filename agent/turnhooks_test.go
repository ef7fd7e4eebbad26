package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
	"github.com/google/go-cmp/cmp"
)

// caller is a model that calls the tool ls once, and then answers.
type caller struct{ requests []string }

func (c *caller) Stream(_ context.Context, body json.RawMessage, _ func(string)) (llm.Reply, error) {
	c.requests = append(c.requests, string(body))
	if len(c.requests) == 1 {
		return llm.Reply{Text: "I look.", ToolCalls: []llm.ToolCall{{ID: "c1", Name: "ls", Arguments: "{}"}}}, nil
	}
	return llm.Reply{Text: "done"}, nil
}

// ls is a tool that lists files.
type ls struct{}

func (ls) Spec() tools.Spec { return tools.Spec{Name: "ls"} }
func (ls) Call(context.Context, tools.Call) (tools.Result, error) {
	return tools.Result{Text: "a b"}, nil
}

// replaced asks two prompts while a plugin replaces the conversation in the
// middle of the second turn, and returns what is stored then.
func replaced(t *testing.T, replace func(hookpoints.PostTurnPayload) []hookpoints.ChatMessage) []string {
	t.Helper()
	c := workContext(t)
	if err := c.Append(contexts.UserMessage("user", "work", "old"),
		contexts.AssistantMessage("work", "old answer")); err != nil {
		t.Fatal(err)
	}
	handlers := plugin.HandlePoint(hookpoints.PostTurn,
		func(_ context.Context, turn hookpoints.PostTurnPayload) (hookpoints.PostTurnAnswer, error) {
			if len(turn.ToolsUsed) == 0 {
				return hookpoints.PostTurnAnswer{}, nil
			}
			return hookpoints.PostTurnAnswer{Messages: replace(turn)}, nil
		})
	set := &tools.Set{}
	if err := set.Add(ls{}); err != nil {
		t.Fatal(err)
	}
	a := &Agent{
		Context: c, Model: &caller{}, Tools: set,
		Host: &plugin.Host{Plugins: []plugin.Plugin{{Name: "p", Hooks: handlers.Hooks(), Handler: handlers}}},
	}
	if _, err := a.Prompt(t.Context(), "new"); err != nil {
		t.Fatal(err)
	}
	window, err := c.Window(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, m := range messagesOf(window) {
		calls, _ := json.Marshal(m.ToolCalls)
		list = append(list, fmt.Sprintf("%s %q %s %s", m.Role, m.Content, m.ToolCallID, calls))
	}
	return list
}

// TestReplacingInTheMiddleOfATurnLosesNothing: the response that calls tools, and
// its results, stay, once, whether the hook gives the response back or not.
func TestReplacingInTheMiddleOfATurnLosesNothing(t *testing.T) {
	call := `assistant "I look."  [{"ID":"c1","Name":"ls","Arguments":"{}"}]`
	rest := []string{call, `tool "a b" c1 null`, `assistant "done"  null`}
	for _, test := range []struct {
		name    string
		replace func(hookpoints.PostTurnPayload) []hookpoints.ChatMessage
		want    []string
	}{
		{"by a summary", func(hookpoints.PostTurnPayload) []hookpoints.ChatMessage {
			return []hookpoints.ChatMessage{{Role: "user", Content: "sum"}}
		}, append([]string{`user "sum"  null`}, rest...)},
		{"by the last messages", func(turn hookpoints.PostTurnPayload) []hookpoints.ChatMessage { return turn.Messages[2:] },
			append([]string{`user "new"  null`}, rest...)},
		{"by all but the calls", func(turn hookpoints.PostTurnPayload) []hookpoints.ChatMessage { return turn.Messages[:3] },
			append([]string{`user "old"  null`, `assistant "old answer"  null`, `user "new"  null`}, rest...)},
		{"with a message behind the calls", func(turn hookpoints.PostTurnPayload) []hookpoints.ChatMessage {
			return append(turn.Messages[2:], hookpoints.ChatMessage{Role: "user", Content: "be brief"})
		}, []string{`user "new"  null`, call, `tool "a b" c1 null`, `user "be brief"  null`, `assistant "done"  null`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, replaced(t, test.replace)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCommandsOfARecipe(t *testing.T) {
	r := &Recipe{Name: "r", Commands: []string{"git *", "ls"}}
	for command, want := range map[string]bool{
		"git log": true, "ls": true, "ls -l": false, "git log | ls": true, "git log; rm x": false,
		"git log && ls || rm": false,
		"git log\nrm x":       false, "git log & rm x": false, "git $(rm x)": false, "git `rm x`": false,
		" git status ": true, "": true,
		"git --version 2>&1": true, "git log &> x": true, "git <(rm x)": false, "git >(rm x)": false,
	} {
		args, _ := json.Marshal(map[string]string{"command": command})
		if got := r.checkCommand(args) == nil; got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
	for _, args := range []string{`{"command":"git x","command":"rm x"}`, `{"command":["rm","x"]}`, `{"command":7}`} {
		if r.checkCommand(json.RawMessage(args)) == nil {
			t.Errorf("%s is allowed", args)
		}
	}
	if (*Recipe)(nil).checkCommand(json.RawMessage(`{"command":"rm"}`)) != nil ||
		r.checkCommand(json.RawMessage(`{"cmd":7}`)) != nil {
		t.Error("calls without a recipe or a command are held")
	}
	if (&Recipe{Commands: []string{"*"}}).checkCommand(json.RawMessage(`{"command":"echo $(date)"}`)) != nil {
		t.Error(`"*" does not fit all`)
	}
}
