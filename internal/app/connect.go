package app

import (
	"context"
	"encoding/json"
	"net/http/httptrace"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/llm"
)

// Connect sets the agent up for the configured model, or for the built-in one if none
// is configured; then a notice says so. Later calls do nothing.
func (s *Session) Connect() error {
	if err := GuardsOf(s).Admit(); err != nil {
		return err
	}
	if s.Agent.Model != nil {
		return nil
	}
	s.Agent.Output = s.opts.Output
	s.Agent.Output.Event = func(step agent.Event) {
		s.tracer.Step(step)
		if s.person.Event != nil {
			s.person.Event(step)
		}
	}
	model, closers, err := ModelOf(s).connect()
	s.closers = append(s.closers, closers...)
	if err != nil {
		return err
	}
	model = waitingClient{model, s}
	s.Agent.Model = model
	if log := s.opts.Model; log.LogRequests || log.LogResponses {
		s.Agent.Model = loggingClient{model, recordLog(s), log}
	}
	return nil
}

// waitingClient does what there is time for while a session waits for the model: its checks
// begin when a request is written, and processes that will be asked next are started.
type waitingClient struct {
	llm.Client
	session *Session
}

// Stream sends a request.
func (c waitingClient) Stream(ctx context.Context, body json.RawMessage, onText func(string)) (llm.Reply, error) {
	checks, servers, start := c.session.checks, c.session.servers, c.residentsThat(isAwaited)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		if info.Err == nil {
			checks.Begin()
			start()
			servers.Begin()
		}
	}})
	reply, err := c.Client.Stream(ctx, body, onText)
	c.residentsThat(isCalled(reply.ToolCalls))()
	return reply, err
}

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
