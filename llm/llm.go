// Package llm defines what chibi needs from a language model: one request in, one
// response out, with the text streamed. Package llm/openai talks to servers; package
// llm/demo is a model built into the program.
package llm

import (
	"context"
	"encoding/json"
	"errors"
)

// ErrTooLong means that a request is longer than the model or its server accepts.
var ErrTooLong = errors.New("the request is too long for the model")

// Client asks a model. Implementations are safe for concurrent use.
type Client interface {
	// Stream sends one request body unchanged and calls onText with each piece of
	// text as it arrives. On an error the Reply holds what had arrived. When ctx ends,
	// Stream returns soon, with the error of ctx.
	Stream(ctx context.Context, body json.RawMessage, onText func(delta string)) (Reply, error)
}

// Reply is a model's response.
type Reply struct {
	// ID and Model are set by the server; they may be empty.
	ID, Model string
	// Text is the whole text.
	Text string
	// ToolCalls are the calls that the model requests, in order.
	ToolCalls []ToolCall
	// Usage counts tokens; zero if the server does not report it.
	Usage Usage
	// FinishReason is why the response ended, as the server reports it.
	FinishReason string
}

// ToolCall is one call of a tool.
type ToolCall struct {
	// ID is never empty. Not all servers make it unique.
	ID string
	// Name is the tool's name.
	Name string
	// Arguments is the text that the model wrote. It should be JSON.
	Arguments string
}

// Usage counts tokens.
type Usage struct {
	InputTokens, OutputTokens int
}
