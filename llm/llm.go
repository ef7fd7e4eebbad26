// Package llm is what chibi needs of a language model: one request in, one
// response out, text as it comes. Package llm/openai speaks to servers; package
// llm/demo is a model built into the program.
package llm

import (
	"context"
	"encoding/json"
	"errors"
)

// ErrTooLong is an error of a request that is longer than the model or its
// server takes.
var ErrTooLong = errors.New("the request is too long for the model")

// Client asks a model. Implementations are safe for concurrent use.
type Client interface {
	// Stream sends one request body as it is and calls onText with text as it
	// comes. On an error the Reply holds what had arrived. It returns soon
	// after ctx ends, with ctx's error.
	Stream(ctx context.Context, body json.RawMessage, onText func(delta string)) (Reply, error)
}

// Reply is a model's response.
type Reply struct {
	// ID and Model are what the server says; they may be empty.
	ID, Model string
	// Text is the whole text.
	Text string
	// ToolCalls are the tools that the model wants to be called, in order.
	ToolCalls []ToolCall
	// Usage counts tokens; zero if the server does not say.
	Usage Usage
	// FinishReason is why the response ended, in the server's words.
	FinishReason string
}

// ToolCall is one call of a tool.
type ToolCall struct {
	// ID is never empty. Servers do not always make it distinct.
	ID string
	// Name is the tool's name.
	Name string
	// Arguments is the text that the model wrote: JSON, if all is well.
	Arguments string
}

// Usage counts tokens.
type Usage struct {
	InputTokens, OutputTokens int
}
