package agent

import (
	"fmt"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/tools"
)

// conversation is what is sent to the model, and what it costs.
type conversation struct {
	// system is the system prompt, messages what follows it.
	system   string
	messages []llm.Message
	usage    hookpoints.Usage
}

func (c *conversation) withSystemPrompt() []llm.Message {
	if c.system == "" {
		return c.messages
	}
	return append([]llm.Message{{Role: "system", Content: c.system}}, c.messages...)
}

// addResponse adds a response to a request of so many bytes. If the server does not
// count tokens, four bytes count as one.
func (c *conversation) addResponse(reply llm.Reply, sent int) {
	c.messages = append(c.messages, llm.Message{Role: "assistant", Content: reply.Text, ToolCalls: reply.ToolCalls})
	u := reply.Usage
	if u.InputTokens == 0 {
		u.InputTokens, u.OutputTokens = sent/4, len(reply.Text)/4
	}
	c.usage.InputTokens += u.InputTokens
	c.usage.OutputTokens += u.OutputTokens
	c.usage.CurrentContextWindow = u.InputTokens + u.OutputTokens
}

func (c *conversation) addResult(callID, text string) {
	c.messages = append(c.messages, llm.Message{Role: "tool", ToolCallID: callID, Content: text})
}

// addPrompt adds a message of the user.
func (c *conversation) addPrompt(text string) {
	c.messages = append(c.messages, llm.Message{Role: "user", Content: text})
}

// makeUnique gives calls ids that are unique in the conversation: servers do not
// always do so.
func (c *conversation) makeUnique(calls []llm.ToolCall) {
	taken := map[string]bool{}
	for _, m := range c.messages {
		for _, call := range m.ToolCalls {
			taken[call.ID] = true
		}
	}
	for i, call := range calls {
		id := call.ID
		for n := 2; taken[id]; n++ {
			id = fmt.Sprintf("%s_%d", call.ID, n)
		}
		calls[i].ID, taken[id] = id, true
	}
}

// forHooks returns the conversation as turn hooks see it.
func (c *conversation) forHooks() []hookpoints.ChatMessage {
	list := []hookpoints.ChatMessage{}
	for _, m := range c.messages {
		seen := hookpoints.ChatMessage{Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID}
		for _, call := range m.ToolCalls {
			seen.ToolCalls = append(seen.ToolCalls, hookpoints.ChatToolCall{ID: call.ID, Name: call.Name,
				Arguments: call.Arguments})
		}
		list = append(list, seen)
	}
	return list
}

// toolNames is the set of tools that a request offered.
type toolNames map[string]bool

func toolNamesOf(specs []tools.Spec) toolNames {
	names := toolNames{}
	for _, s := range specs {
		names[s.Name] = true
	}
	return names
}
