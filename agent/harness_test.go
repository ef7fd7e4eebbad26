package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
	"github.com/google/go-cmp/cmp"
)

// harness is an agent in the empty context "work", with a scripted model, real Go
// handlers as plugins, and a log of what happens in which order.
type harness struct {
	*Agent
	t     testing.TB
	home  *contexts.Store
	model *script
	mu    sync.Mutex
	// log has one line for each hook ("pre_tool"), request ("request"), piece of text
	// shown ("show hi"), entry stored ("store user hi") and tool run ("run echo {}").
	log              []string
	notices, details []string
	events           []Event
}

// newHarness is a harness whose model answers so, with the tool echo, a cache and a
// plugin that is asked at every point and has no opinion.
func newHarness(t testing.TB, replies ...reply) *harness {
	t.Helper()
	h := &harness{t: t, home: contexts.NewMemory()}
	h.model = &script{replies: replies, onRequest: func() { h.note("request") }}
	h.Agent = &Agent{
		Context: h.context("work"), Model: h.model, Tools: &tools.Set{}, Host: &plugin.Host{},
		Cache:    cache.Open(t.TempDir()),
		Settings: Settings{Model: "m"},
		Recipes: func(_ context.Context, name string, args map[string]string) (Recipe, error) {
			if name == "unknown" {
				return Recipe{}, errors.New("there is no recipe \"unknown\"")
			}
			return Recipe{Name: name, Prompt: "Run " + name + args["how"] + "."}, nil
		},
		Output: Output{
			Text:   func(delta string) { h.note("show %s", strings.TrimSuffix(delta, "\n")) },
			Entry:  func(e contexts.Entry) { h.note("store %s", entryLine(e)) },
			Notice: func(text string) { h.notices = append(h.notices, text) },
			Detail: func(text string) { h.details = append(h.details, text) },
			Event:  func(e Event) { h.events = append(h.events, e) },
		},
	}
	handlers := plugin.Handlers{}
	for _, point := range hookpoints.All() {
		handlers[point.Name] = plugin.HandlerFunc(func(_ context.Context, ev plugin.Event) (plugin.Answer, error) {
			h.note("%s", ev.Point)
			return plugin.Answer{}, nil
		})
	}
	h.plug("audit", handlers)
	h.tool("echo", func(call tools.Call) tools.Result { return tools.Result{Text: string(call.Arguments)} })
	return h
}

// context is another context of the home.
func (h *harness) context(name string) *contexts.Context {
	h.t.Helper()
	c, err := h.home.Context(name)
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

func (h *harness) note(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

// plug adds a plugin.
func (h *harness) plug(name string, handlers plugin.Handlers) {
	h.Host.Plugins = append(h.Host.Plugins, plugin.New(name, handlers))
}

// tool adds a tool that takes any arguments.
func (h *harness) tool(name string, run func(tools.Call) tools.Result) {
	h.t.Helper()
	logged := func(call tools.Call) tools.Result {
		h.note("run %s %s", name, call.Arguments)
		return run(call)
	}
	if err := h.Tools.Add(goTool{tools.Spec{Name: name, Parameters: json.RawMessage(`{}`)}, logged}); err != nil {
		h.t.Fatal(err)
	}
}

// answerAt is a handler that answers so.
func answerAt[P, A any](point hookpoints.Point[P, A], answer A) plugin.Handlers {
	return plugin.HandlePoint(point, func(context.Context, P) (A, error) { return answer, nil })
}

// blockTool is a handler that blocks one tool.
func blockTool(name string) func(context.Context, hookpoints.PreToolPayload) (hookpoints.PreToolAnswer, error) {
	return func(_ context.Context, p hookpoints.PreToolPayload) (hookpoints.PreToolAnswer, error) {
		if p.ToolName != name {
			return hookpoints.PreToolAnswer{}, nil
		}
		return hookpoints.PreToolAnswer{Block: true, Message: "no"}, nil
	}
}

// observe keeps the payloads of a point, as the first plugin receives them.
func observe[P, A any](h *harness, point hookpoints.Point[P, A]) *[]P {
	var seen []P
	handlers := plugin.HandlePoint(point, func(_ context.Context, payload P) (none A, err error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		seen = append(seen, payload)
		return none, nil
	})
	h.Host.Plugins = slices.Insert(h.Host.Plugins, 0, plugin.New("observer", handlers))
	return &seen
}

// prompt asks a prompt that is answered.
func (h *harness) prompt(text string) string {
	h.t.Helper()
	answer, err := h.Prompt(h.t.Context(), text)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer
}

// store adds entries to the conversation.
func (h *harness) store(entries ...contexts.Entry) {
	h.t.Helper()
	if err := h.Context.Append(entries...); err != nil {
		h.t.Fatal(err)
	}
}

// window is the stored window, an entry a line.
func (h *harness) window() (lines []string) {
	h.t.Helper()
	entries, err := h.Context.Window(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range entries {
		lines = append(lines, entryLine(e))
	}
	return lines
}

// noticed fails the test unless the notices begin so, one each.
func (h *harness) noticed(want ...string) {
	h.t.Helper()
	if len(h.notices) != len(want) {
		h.t.Errorf("notices %q, want %q", h.notices, want)
		return
	}
	for i, begin := range want {
		if !strings.HasPrefix(h.notices[i], begin) {
			h.t.Errorf("notice %q, want %q", h.notices[i], begin)
		}
	}
}

// sent are the requests so far, as lines.
func (h *harness) sent() (lines []string) {
	for _, r := range h.model.requests {
		lines = append(lines, r.sent())
	}
	return lines
}

// untilFailed is the log of a turn that fails without its end, which is on_turn_failed.
func (h *harness) untilFailed() []string {
	h.t.Helper()
	last := len(h.log) - 1
	if last < 0 || h.log[last] != "on_turn_failed" {
		h.t.Fatalf("the log ends without on_turn_failed: %q", h.log)
	}
	return h.log[:last]
}

// same fails the test unless the lists are equal.
func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func entryLine(e contexts.Entry) string {
	switch e.Type {
	case contexts.TypeMessage:
		return e.Role() + " " + e.Content
	case contexts.TypeToolCall:
		return "call " + e.To + " " + e.Content
	case contexts.TypeToolResult:
		return "result " + e.From + " " + e.Content
	}
	return string(e.Type)
}

// script is a model that answers requests in turn; the last reply answers all further
// ones.
type script struct {
	replies   []reply
	onRequest func()
	requests  []request
}

// reply is how a scripted model answers one request.
type reply func(ctx context.Context, r request, onText func(string)) (llm.Reply, error)

// request is what a model is sent.
type request struct {
	Messages []message
	Tools    []struct{ Function struct{ Name string } }
	raw      string
}

type message struct {
	Role, Content string
	ToolCallID    string `json:"tool_call_id"`
}

func (s *script) Stream(ctx context.Context, body json.RawMessage, onText func(string)) (llm.Reply, error) {
	r := request{raw: string(body)}
	if err := json.Unmarshal(body, &r); err != nil {
		return llm.Reply{}, err
	}
	if s.requests = append(s.requests, r); len(s.requests) > 100 {
		return llm.Reply{}, errors.New("asked without end")
	}
	if s.onRequest != nil {
		s.onRequest()
	}
	return s.replies[min(len(s.requests), len(s.replies))-1](ctx, r, onText)
}

// sent is a request as one line: its messages without the system prompt.
func (r request) sent() string {
	var list []string
	for _, m := range r.Messages {
		if m.Role != "system" {
			list = append(list, m.Role+":"+m.Content)
		}
	}
	return strings.Join(list, " ")
}

// says answers with a text.
func says(text string) reply {
	return finishes(llm.Reply{Text: text, FinishReason: "stop"})
}

// finishes answers so.
func finishes(r llm.Reply) reply {
	return func(_ context.Context, _ request, onText func(string)) (llm.Reply, error) {
		if r.Text != "" {
			onText(r.Text)
		}
		return r, nil
	}
}

// calls answers with calls: the names of tools, each with its arguments.
func calls(namesAndArguments ...string) reply {
	var list []llm.ToolCall
	for i := 0; i < len(namesAndArguments); i += 2 {
		id := fmt.Sprint("c", i/2+1)
		list = append(list, llm.ToolCall{ID: id, Name: namesAndArguments[i], Arguments: namesAndArguments[i+1]})
	}
	return finishes(llm.Reply{ToolCalls: list})
}

// fails is an error, after a text.
func fails(text string, err error) reply {
	return func(_ context.Context, _ request, onText func(string)) (llm.Reply, error) {
		if text != "" {
			onText(text)
		}
		return llm.Reply{Text: text}, err
	}
}

// goTool is a tool in Go.
type goTool struct {
	spec tools.Spec
	run  func(tools.Call) tools.Result
}

func (t goTool) Spec() tools.Spec { return t.spec }
func (t goTool) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	return t.run(call), ctx.Err()
}
