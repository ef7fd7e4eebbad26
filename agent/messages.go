package agent

import (
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/llm"
)

// lostResult is the result of a call whose own result was never stored.
const lostResult = "Error: the result of this call was lost, chibi ended before it was stored; the call may or may " +
	"not have had an effect"

// messagesOf turns stored entries into messages for the model. Calls that follow
// each other belong to one response, with the text before them; each call is
// followed by exactly one result.
func messagesOf(entries []contexts.Entry) []llm.Message {
	var b messageBuilder
	for _, e := range entries {
		switch e.Type {
		case contexts.TypeMessage:
			b.addMessage(e)
		case contexts.TypeToolCall:
			b.addCall(e)
		case contexts.TypeToolResult:
			b.addResult(e)
		}
	}
	b.closeOpenCalls()
	return b.messages
}

// messageBuilder builds messages. openCalls are the calls that still lack a result.
type messageBuilder struct {
	messages  []llm.Message
	openCalls []llm.ToolCall
}

func (b *messageBuilder) addMessage(e contexts.Entry) {
	b.closeOpenCalls()
	b.messages = append(b.messages, llm.Message{Role: e.Role(), Content: e.Content})
}

// addCall adds a call to the response that it belongs to.
func (b *messageBuilder) addCall(e contexts.Entry) {
	call := llm.ToolCall{ID: e.CallID(), Name: e.To, Arguments: e.Content}
	if call.ID == "" { // stored by a program that kept no ids
		call.ID = "call_" + e.ID
	}
	last := len(b.messages) - 1
	if last < 0 || b.messages[last].Role != "assistant" {
		b.closeOpenCalls()
		b.messages = append(b.messages, llm.Message{Role: "assistant"})
		last = len(b.messages) - 1
	}
	b.messages[last].ToolCalls = append(b.messages[last].ToolCalls, call)
	b.openCalls = append(b.openCalls, call)
}

// addResult answers the open call of its id, or the first open one of its tool. A
// result without a call is dropped, as no model would accept it.
func (b *messageBuilder) addResult(e contexts.Entry) {
	for i, call := range b.openCalls {
		if call.ID == e.CallID() || e.CallID() == "" && call.Name == e.From {
			b.messages = append(b.messages, llm.Message{Role: "tool", ToolCallID: call.ID, Content: e.Content})
			b.openCalls = append(b.openCalls[:i:i], b.openCalls[i+1:]...)
			return
		}
	}
}

// closeOpenCalls gives calls whose results are missing a result that says so.
func (b *messageBuilder) closeOpenCalls() {
	for _, call := range b.openCalls {
		b.messages = append(b.messages, llm.Message{Role: "tool", ToolCallID: call.ID, Content: lostResult})
	}
	b.openCalls = nil
}

// withResults adds a response that calls tools, and its results, to entries that
// may already have some of its calls: those get their results after them, the rest
// is appended.
func withResults(entries, latest []contexts.Entry) (all []contexts.Entry) {
	known, results := map[string]bool{}, map[string]contexts.Entry{}
	for _, e := range entries {
		known[e.CallID()] = known[e.CallID()] || e.Type == contexts.TypeToolCall
	}
	for _, e := range latest {
		if e.Type == contexts.TypeToolResult {
			results[e.CallID()] = e
		}
	}
	for i, e := range entries {
		all = append(all, e)
		if groupEnds(entries, i) {
			all = append(all, resultsOf(entries[:i+1], results)...)
		}
	}
	var rest []contexts.Entry
	missing := false
	for _, e := range latest {
		if known[e.CallID()] && e.CallID() != "" {
			continue
		}
		missing = missing || e.Type == contexts.TypeToolCall
		rest = append(rest, e)
	}
	if missing {
		all = append(all, rest...)
	}
	return all
}

// groupEnds reports whether the entry at i is the last of a group of calls.
func groupEnds(entries []contexts.Entry, i int) bool {
	return entries[i].Type == contexts.TypeToolCall && (i+1 == len(entries) || entries[i+1].Type != contexts.TypeToolCall)
}

// resultsOf returns the results of the calls at the end of the entries.
func resultsOf(entries []contexts.Entry, results map[string]contexts.Entry) (list []contexts.Entry) {
	begin := len(entries)
	for begin > 0 && entries[begin-1].Type == contexts.TypeToolCall {
		begin--
	}
	for _, call := range entries[begin:] {
		if result, ok := results[call.CallID()]; ok {
			list = append(list, result)
		}
	}
	return list
}
