package llm

import (
	"bytes"
	"encoding/json"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
)

// Message is one message of a conversation.
type Message struct {
	// Role is "system", "user", "assistant" or "tool".
	Role string
	// Content is the text.
	Content string
	// ToolCalls are the calls of an assistant's message.
	ToolCalls []ToolCall
	// ToolCallID is the call that a tool's message answers.
	ToolCallID string
}

// Option is one further member of a request body.
type Option struct {
	Name string
	// Value is JSON; its spelling is kept.
	Value json.RawMessage
}

// Request is a request in the format of chat completions.
type Request struct {
	Model    string
	Messages []Message
	Tools    []tools.Spec
	// Options follow in their order.
	Options []Option
}

// Body returns the request as one JSON object. It asks for a stream with usage.
func (r Request) Body() (json.RawMessage, error) {
	members := []Option{}
	add := func(name string, value any) error {
		raw, err := strictjson.Encode(value)
		members = append(members, Option{name, raw})
		return err
	}
	if err := add("model", r.Model); err != nil {
		return nil, err
	}
	if err := add("messages", r.messages()); err != nil {
		return nil, err
	}
	if len(r.Tools) > 0 {
		if err := add("tools", r.tools()); err != nil {
			return nil, err
		}
	}
	members = append(members,
		Option{"stream", json.RawMessage("true")},
		Option{"stream_options", json.RawMessage(`{"include_usage":true}`)})
	return object(append(members, r.Options...))
}

type wireMessage struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type wireCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name        string          `json:"name"`
	Arguments   *string         `json:"arguments,omitempty"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

type wireTool struct {
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

func (r Request) messages() []wireMessage {
	list := []wireMessage{}
	for _, m := range r.Messages {
		w := wireMessage{Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID}
		for _, call := range m.ToolCalls {
			w.ToolCalls = append(w.ToolCalls, wireCall{
				ID: call.ID, Type: "function", Function: wireFunction{Name: call.Name, Arguments: &call.Arguments},
			})
		}
		list = append(list, w)
	}
	return list
}

func (r Request) tools() []wireTool {
	var list []wireTool
	for _, spec := range r.Tools {
		parameters := spec.Parameters
		if len(parameters) == 0 {
			parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		list = append(list, wireTool{Type: "function", Function: wireFunction{
			Name: spec.Name, Description: spec.Description, Parameters: parameters,
		}})
	}
	return list
}

// object returns a JSON object with the members in their order.
func object(members []Option) (json.RawMessage, error) {
	size := 0
	for _, m := range members {
		size += len(m.Name) + len(m.Value) + len(`"":,`)
	}
	var b bytes.Buffer
	b.Grow(size + len(`{}`)) // with many tools, growing bit by bit would take as long as the rest
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := strictjson.Encode(m.Name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.Value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
