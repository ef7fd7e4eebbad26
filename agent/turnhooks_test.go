package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// replaced asks two prompts while a plugin replaces the conversation in the
// middle of the second turn, and returns what is stored then.
func replaced(t *testing.T, replace func(hookpoints.PostTurnPayload) []hookpoints.ChatMessage) []string {
	t.Helper()
	call := llm.Reply{Text: "I look.", ToolCalls: []llm.ToolCall{{ID: "c1", Name: "ls", Arguments: "{}"}}}
	h := newHarness(t, says("old answer"), finishes(call), says("done"))
	h.tool("ls", func(tools.Call) tools.Result { return tools.Result{Text: "a b"} })
	h.prompt("old")
	h.plug("p", plugin.HandlePoint(hookpoints.PostTurn,
		func(_ context.Context, turn hookpoints.PostTurnPayload) (hookpoints.PostTurnAnswer, error) {
			if len(turn.ToolsUsed) == 0 {
				return hookpoints.PostTurnAnswer{}, nil
			}
			return hookpoints.PostTurnAnswer{Messages: replace(turn)}, nil
		}))
	h.prompt("new")
	window, err := h.Context.Window(t.Context())
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
			same(t, "messages", replaced(t, test.replace), test.want)
		})
	}
}
