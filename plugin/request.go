package plugin

import (
	"context"
	"encoding/json"
)

// requestKey is the key of the function that returns the request that an event is about.
type requestKey struct{}

// WithRequest returns a ctx for events about a request to the model whose payload does not have it: the
// selection of its tools, and its response. body returns its body as far as it is known; it is called when a
// plugin needs it, and must be safe for concurrent use.
func WithRequest(ctx context.Context, body func() json.RawMessage) context.Context {
	return context.WithValue(ctx, requestKey{}, body)
}

// RequestOf returns the body of the request that ctx carries, nil if it carries none.
func RequestOf(ctx context.Context) json.RawMessage {
	if body, ok := ctx.Value(requestKey{}).(func() json.RawMessage); ok {
		return body()
	}
	return nil
}
