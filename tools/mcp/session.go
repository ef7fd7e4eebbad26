package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxRefusal bounds the message of a server's error, in characters.
const maxRefusal = 4 << 10

// session is a connection to a server that has answered initialize.
type session struct {
	server  Server // as it is reached, with variables filled in
	pool    *Pool
	client  *sdk.ClientSession
	wire    *wire
	process *process.Process // nil: it has a link
	link    *link            // nil: it has a process
	// answered says that a call was answered.
	answered atomic.Bool
}

// options are those of the SDK's client of a session.
func (s *session) options() *sdk.ClientOptions {
	o := &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}}
	if s.pool.cfg.Changed != nil {
		o.ToolListChangedHandler = func(context.Context, *sdk.ToolListChangedRequest) { s.pool.cfg.Changed(s.server.Name) }
	}
	return o
}

// call calls a tool and returns the result as the server wrote it.
func (s *session) call(ctx context.Context, tool string, arguments json.RawMessage) (json.RawMessage, error) {
	limit := cmp.Or(s.server.Timeout, DefaultTimeout)
	limited, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %s (timeout_ms)", limit))
	defer cancel()
	result, err := s.ask(limited, func(ctx context.Context) error {
		_, err := s.client.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
		return err
	})
	var refused *jsonrpc.Error
	switch {
	case err == nil:
		s.answered.Store(true)
		return result, nil
	case errors.As(err, &refused):
		s.answered.Store(true)
		return nil, fmt.Errorf("the server answered with an error: %s", clip.Text(refused.Message, maxRefusal))
	case limited.Err() != nil:
		return nil, context.Cause(limited)
	case s.process != nil && s.wire.why() != nil:
		return nil, fmt.Errorf("the server ended before it answered: %w; the call is not repeated, as it may have had "+
			"an effect", s.wire.why())
	}
	return nil, s.told(err)
}

// told returns an error as a person should read it.
func (s *session) told(err error) error {
	if s.link != nil {
		return s.link.why(err)
	}
	return err
}

// ask sends a request and returns the result as the server wrote it.
func (s *session) ask(ctx context.Context, send func(context.Context) error) (json.RawMessage, error) {
	var r reply
	defer s.wire.forget(&r)
	if err := send(context.WithValue(ctx, replyKey{}, &r)); err != nil {
		return nil, err
	}
	return r.result, nil
}

// hasEnded reports whether the connection cannot be used any more.
func (s *session) hasEnded() bool {
	return s.wire.why() != nil || s.process != nil && s.process.HasEnded()
}

// noise reports a line that is no message.
func (s *session) noise(line string) {
	s.pool.notify("MCP server %q wrote a line to standard output that is no message: %s", s.server.Name, line)
}

// withStderr adds to an error what a server that is a program wrote last to standard error.
func (s *session) withStderr(err error) error {
	if s.process == nil {
		return err
	}
	outcome, _ := s.process.Wait()
	if line := outcome.LastLine(); line != "" {
		return fmt.Errorf("%w (%s)", err, line)
	}
	return err
}

// close ends the connection, and the server if it is a program.
func (s *session) close() {
	s.wire.Close()
	if s.client != nil {
		s.client.Close()
	}
	if s.link != nil {
		s.link.close()
	}
}
