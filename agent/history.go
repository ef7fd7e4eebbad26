package agent

import (
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/llm"
)

// lostResult is the result of a call whose own was never stored.
const lostResult = "Error: the result of this call was lost, chibi ended before it was stored; the call may or may " +
	"not have had an effect"

// history turns stored entries into messages for the model. Calls that follow
// each other belong to one response, with the text before them; each call is
// followed by exactly one result.
func history(entries []contexts.Entry) []llm.Message {
	var h historian
	for _, e := range entries {
		switch e.Type {
		case contexts.TypeMessage:
			h.message(e)
		case contexts.TypeToolCall:
			h.call(e)
		case contexts.TypeToolResult:
			h.result(e)
		}
	}
	h.settle()
	return h.messages
}

// historian builds messages. open are the calls that still lack a result.
type historian struct {
	messages []llm.Message
	open     []llm.ToolCall
}

func (h *historian) message(e contexts.Entry) {
	h.settle()
	h.messages = append(h.messages, llm.Message{Role: e.Role(), Content: e.Content})
}

// call adds a call to the response that it belongs to.
func (h *historian) call(e contexts.Entry) {
	call := llm.ToolCall{ID: e.CallID(), Name: e.To, Arguments: e.Content}
	if call.ID == "" { // stored by a program that kept no ids
		call.ID = "call_" + e.ID
	}
	last := len(h.messages) - 1
	if last < 0 || h.messages[last].Role != "assistant" {
		h.settle()
		h.messages = append(h.messages, llm.Message{Role: "assistant"})
		last = len(h.messages) - 1
	}
	h.messages[last].ToolCalls = append(h.messages[last].ToolCalls, call)
	h.open = append(h.open, call)
}

// result answers the open call of its id, or the first open one of its tool.
// A result without a call is nothing that a model would accept.
func (h *historian) result(e contexts.Entry) {
	for i, call := range h.open {
		if call.ID == e.CallID() || e.CallID() == "" && call.Name == e.From {
			h.messages = append(h.messages, llm.Message{Role: "tool", ToolCallID: call.ID, Content: e.Content})
			h.open = append(h.open[:i:i], h.open[i+1:]...)
			return
		}
	}
}

// settle gives calls whose results are missing a result that says so.
func (h *historian) settle() {
	for _, call := range h.open {
		h.messages = append(h.messages, llm.Message{Role: "tool", ToolCallID: call.ID, Content: lostResult})
	}
	h.open = nil
}
