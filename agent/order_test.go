package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/tools"
)

// Parts of what happens in a turn.
var (
	asks  = []string{"pre_api_tools", "pre_api_request", "request"}
	again = append([]string{"post_tool_batch"}, asks...)
	ends  = []string{"post_message", "pre_stop"}
	hello = []string{"show hello", "show ", "store assistant hello", "post_turn"}
)

// begins is what happens before the first request of a turn.
func begins(prompt string) []string {
	return []string{"pre_message", "store user " + prompt, "pre_system_prompt", "post_system_prompt"}
}

// ran is what happens to a call of echo that runs.
func ran(arguments string) []string {
	return []string{"pre_tool", "run echo " + arguments, "pre_tool_output", "post_tool_output",
		"store result echo " + arguments, "post_tool"}
}

// TestTheOrderOfATurn is the order of hooks, requests, entries and tools, for each kind
// of step.
func TestTheOrderOfATurn(t *testing.T) {
	hi := begins("hi")
	for _, test := range []struct {
		name    string
		replies []reply
		setup   func(*harness)
		want    [][]string
	}{
		{"a response with text", []reply{says("hello")}, nil, [][]string{hi, asks, hello, ends}},
		{"an empty response", []reply{says("")}, nil, [][]string{hi, asks, {"post_turn"}, ends}},
		{"a response with calls", []reply{calls("echo", `{"n":1}`, "echo", `{"n":2}`), says("hello")}, nil, [][]string{
			hi, asks, {`store call echo {"n":1}`, `store call echo {"n":2}`, "post_turn"}, ran(`{"n":1}`), ran(`{"n":2}`),
			again, hello, ends}},
		{"text before calls", []reply{finishes(llm.Reply{Text: "I look.\n", ToolCalls: []llm.ToolCall{
			{ID: "c1", Name: "echo", Arguments: "{}"}}}), says("hello")}, nil, [][]string{
			hi, asks, {"show I look.", "store assistant I look.\n", "store call echo {}", "post_turn"}, ran("{}"),
			again, hello, ends}},
		{"a blocked call", []reply{calls("echo", "{}"), says("hello")},
			func(h *harness) {
				h.plug("guard", answerAt(hookpoints.PreTool, hookpoints.PreToolAnswer{Block: true, Message: "no"}))
			}, [][]string{hi, asks, {"store call echo {}", "post_turn", "pre_tool", "pre_tool_output", "post_tool_output",
				"store result echo no\n(blocked by plugin \"guard\")", "post_tool"}, again, hello, ends}},
		{"a call of no tool", []reply{calls("walk", "{}"), says("hello")}, nil, [][]string{
			hi, asks, {"store call walk {}", "post_turn", "pre_tool_output", "post_tool_output",
				`store result walk Error: there is no tool "walk"`, "post_tool"}, again, hello, ends}},
		{"a call of a tool that a plugin has filtered", []reply{calls("echo", "{}"), says("hello")},
			func(h *harness) {
				h.plug("filter", answerAt(hookpoints.PreAPITools, hookpoints.PreAPIToolsAnswer{Exclude: []string{"echo"}}))
			}, [][]string{hi, asks, {"store call echo {}", "post_turn", "pre_tool_output", "post_tool_output",
				`store result echo Error: tool "echo" is not available here`, "post_tool"}, again, hello, ends}},
		{"a large output", []reply{calls("large", "{}"), says("hello")},
			func(h *harness) {
				h.Settings.CacheThreshold = 10
				h.tool("large", func(tools.Call) tools.Result { return tools.Result{Text: strings.Repeat("x", 11)} })
				h.plug("p", answerAt(hookpoints.PreCacheOutput, hookpoints.PreCacheOutputAnswer{Summary: "many x"}))
				h.Output.Entry = nil
			}, [][]string{{"pre_message", "pre_system_prompt", "post_system_prompt"}, asks, {"post_turn", "pre_tool",
				"run large {}", "pre_tool_output", "pre_cache_output", "post_cache_output", "post_tool_output", "post_tool"},
				again, {"show hello", "show ", "post_turn"}, ends}},
		{"a follow-up", []reply{says("hello")},
			func(h *harness) {
				answer := hookpoints.PreStopAnswer{FollowUpMessages: []string{"more"}}
				h.Settings.MaxFollowUps = 1
				h.plug("p", answerAt(hookpoints.PreStop, answer))
			}, [][]string{hi, asks, hello, ends, {"store user more"}, asks, hello, ends}},
		{"a further turn that the model asks for", []reply{calls("again", "{}"), says("hello"), says("hello")},
			func(h *harness) {
				h.tool("again", func(tools.Call) tools.Result { return tools.Result{Text: "ok", Next: "go on"} })
			}, [][]string{hi, asks, {"store call again {}", "post_turn", "pre_tool", "run again {}", "pre_tool_output",
				"post_tool_output", "store result again ok", "post_tool"}, again, hello, ends,
				begins("[Continuing from previous round]\n\nNote to self: go on"), asks, hello, ends}},
		{"a recipe that a hook asks for", []reply{says("hello"), says("summary")},
			func(h *harness) {
				h.plug("p", answerAt(hookpoints.PreStop, hookpoints.PreStopAnswer{Recipe: "compact"}))
			}, [][]string{hi, asks, hello, ends, asks, {"post_turn", "pre_compact", "post_compact"}}},
		{"a recipe that uses a tool", []reply{says("hello"), calls("echo", "{}"), says("summary")},
			func(h *harness) {
				h.plug("p", answerAt(hookpoints.PreStop, hookpoints.PreStopAnswer{Recipe: "compact"}))
			}, [][]string{hi, asks, hello, ends, asks, {"post_turn", "pre_tool", "run echo {}", "pre_tool_output",
				"post_tool_output", "post_tool"}, again, {"post_turn", "pre_compact", "post_compact"}}},
		{"messages that a hook puts in the place of others", []reply{says("hello")},
			func(h *harness) {
				messages := []hookpoints.ChatMessage{{Role: "user", Content: "sum"}}
				h.plug("p", answerAt(hookpoints.PostTurn, hookpoints.PostTurnAnswer{Messages: messages}))
			}, [][]string{hi, asks, hello, {"pre_compact", "post_compact"}, ends}},
		{"rolling compaction", []reply{says("[]"), says("summary"), says("hello")},
			func(h *harness) {
				h.Settings = Settings{ContextWindow: 1, AutoCompact: true}
				for _, text := range []string{"one", "two"} {
					h.store(contexts.UserMessage("user", "work", text), contexts.AssistantMessage("work", text))
				}
			}, [][]string{hi[:2], {"pre_rolling_compact", "pre_api_request", "request", "pre_api_request", "request",
				"post_rolling_compact"}, hi[2:], asks, hello, ends}},
		{"a refused prompt", []reply{says("hello")},
			func(h *harness) {
				h.plug("p", answerAt(hookpoints.PreMessage, hookpoints.PreMessageAnswer{Block: true, Message: "no"}))
			}, [][]string{{"pre_message"}}},
		{"a failure", []reply{fails("", errors.New("out of order"))}, nil, [][]string{hi, asks,
			{"on_turn_failed"}}},
		{"a failure in mid-stream", []reply{fails("hel", errors.New("out of order"))}, nil, [][]string{
			hi, asks, {"show hel", "show ", "store assistant hel", "on_turn_failed"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, test.replies...)
			if test.setup != nil {
				test.setup(h)
			}
			h.Prompt(t.Context(), "hi")
			same(t, "log", h.log, slices.Concat(test.want...))
		})
	}
}

// TestTheOrderOfARun is that of hooks outside turns.
func TestTheOrderOfARun(t *testing.T) {
	h := newHarness(t, says("hello"), says("hello"), says("hello"), says("summary"))
	ctx := t.Context()
	h.Start(ctx)
	h.Switched(ctx, Switch{From: "other"})
	for range 2 {
		h.prompt("hi")
	}
	h.Compact(ctx)
	h.Post(ctx, "", "other", "news")
	h.Clear(ctx)
	h.End(ctx, nil)
	turn := slices.Concat(begins("hi"), asks, hello, ends)
	same(t, "log", h.log, slices.Concat([]string{"on_start", "on_context_switch"}, turn, turn,
		[]string{"pre_compact", "pre_api_request", "request", "post_compact", "pre_send_message", "post_send_message",
			"pre_clear", "post_clear", "on_end"}))
}

// TestWhatIsStoredWhen: a prompt before it is sent, a call before it runs, a result
// before the model sees it.
func TestWhatIsStoredWhen(t *testing.T) {
	var h *harness
	var stored [][]string
	look := func(next reply) reply {
		return func(ctx context.Context, r request, onText func(string)) (llm.Reply, error) {
			stored = append(stored, h.window())
			return next(ctx, r, onText)
		}
	}
	h = newHarness(t, look(calls("look", "{}")), look(says("hello")))
	h.tool("look", func(tools.Call) tools.Result {
		stored = append(stored, h.window())
		return tools.Result{Text: "seen"}
	})
	h.prompt("hi")
	same(t, "stored", append(stored, h.window()), [][]string{
		{"context_created", "user hi"}, {"context_created", "user hi", "call look {}"},
		{"context_created", "user hi", "call look {}", "result look seen"},
		{"context_created", "user hi", "call look {}", "result look seen", "assistant hello"},
	})
}
