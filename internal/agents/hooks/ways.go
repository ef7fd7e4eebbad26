package hooks

import (
	"context"
	"encoding/json"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// Ways say how to ask handlers that are not commands. chibi leaves out a handler whose way is nil, and says why.
type Ways struct {
	// Post posts a payload and returns the answer, at most 8 MiB. It follows no redirects.
	Post func(ctx context.Context, to Posting) (status int, body []byte, err error)
	// Ask asks a model and returns its text.
	Ask func(ctx context.Context, q Judging) (string, error)
	// Call calls a tool of an MCP server and returns its text.
	Call func(ctx context.Context, server, tool string, input json.RawMessage) (string, error)
}

// Posting is a request of an HTTP handler.
type Posting struct {
	URL     string
	Headers map[string]string
	Body    []byte
}

// Judging is a handler's question to a model.
type Judging struct {
	// Text is the prompt, with the payload in it.
	Text string
	// Model is the model that the handler names, "" if it names none.
	Model string
	// ReadsFiles says that the model may read files before it answers.
	ReadsFiles bool
}

// Lacks says why chibi does not run a kind of handler; "" if it does.
func (w Ways) Lacks(kind engine.HandlerKind) string {
	switch {
	case kind == engine.HTTPHandler && w.Post == nil:
		return "chibi does not run HTTP handlers here"
	case (kind == engine.PromptHandler || kind == engine.AgentHandler) && w.Ask == nil:
		return "chibi runs a handler that asks a model only with [foreign] model_hooks = true: the handler sends what " +
			"happens to the model's server, and costs tokens"
	case kind == engine.MCPToolHandler && w.Call == nil:
		return "chibi does not run a handler that calls a tool of an MCP server here"
	case kind == "":
		return "chibi does not know this type of handler"
	}
	return ""
}
