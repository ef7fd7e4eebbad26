package app

import (
	"context"
	"encoding/json"
	"net/http/httptrace"

	"github.com/chibi-host/chibi/llm"
)

// waitingClient does what there is time for while a session waits for the model: its checks
// begin when a request is written, and processes that will be asked next are started.
type waitingClient struct {
	llm.Client
	session *Session
}

// Stream sends a request.
func (c waitingClient) Stream(ctx context.Context, body json.RawMessage, onText func(string)) (llm.Reply, error) {
	checks, servers, start := c.session.checks, c.session.servers, residentsThat(c.session, isAwaited)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		if info.Err == nil {
			checks.begin()
			start()
			servers.Begin()
		}
	}})
	reply, err := c.Client.Stream(ctx, body, onText)
	residentsThat(c.session, isCalled(reply.ToolCalls))()
	return reply, err
}
