package app

import (
	"context"
	"encoding/json"
	"time"

	"github.com/chibi-host/chibi/llm"
)

// loggingClient writes every request, or the metadata of every response, to a file of
// the context.
type loggingClient struct {
	llm.Client
	log  func(file string, record any)
	opts ModelOptions
}

// Stream logs the request, sends it, and logs the response.
func (c loggingClient) Stream(ctx context.Context, body json.RawMessage, onText func(string)) (llm.Reply, error) {
	now := time.Now().Unix()
	if c.opts.LogRequests {
		c.log("requests.jsonl", map[string]any{"request": body, "timestamp": now})
	}
	reply, err := c.Client.Stream(ctx, body, onText)
	if c.opts.LogResponses && err == nil {
		usage := map[string]int{"prompt_tokens": reply.Usage.InputTokens, "completion_tokens": reply.Usage.OutputTokens}
		c.log("response_meta.jsonl", map[string]any{
			"response": map[string]any{"id": reply.ID, "model": reply.Model, "usage": usage}, "timestamp": now,
		})
	}
	return reply, err
}

// recordLog appends records to files of the session's context.
func recordLog(s *Session) func(file string, record any) {
	return func(file string, record any) {
		if err := s.Host.Log(s.Name(), file, record); err != nil {
			s.person.notice(err.Error())
		}
	}
}
