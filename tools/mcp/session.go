package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools"
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
	person  stopwatch        // how long the person was waited for
	// audience says when the server may ask the person, unasked how often that was refused.
	audience audience
	unasked  atomic.Int32
	// answered says that a call was answered.
	answered atomic.Bool
	// offer is what the server says about its tools.
	offer offer
}

// options are the options of the SDK's client of a session.
func (s *session) options() *sdk.ClientOptions {
	o := &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}}
	o.ToolListChangedHandler = func(context.Context, *sdk.ToolListChangedRequest) { s.pool.changed(s.server) }
	if s.pool.cfg.Elicit != nil {
		o.ElicitationHandler = s.elicit
	}
	return o
}

func (s *session) call(ctx context.Context, tool string, arguments json.RawMessage,
	times *tools.Served) (json.RawMessage, error) {
	defer s.audience.enter()()
	clock := s.person.limit(s.timeout())
	limited, end := clock.context(ctx, s.tooLong())
	defer end()
	result, err := s.ask(limited, func(ctx context.Context) error {
		_, err := s.client.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
		return err
	})
	times.Wait, times.Call = clock.waited(), clock.used()
	if err == nil {
		s.answered.Store(true)
		return result, nil
	}
	err = s.unanswered(limited, err)
	if s.hasEnded() {
		err = fmt.Errorf("%w; the call is not repeated, as it may have had an effect", err)
	}
	return nil, err
}

// timeout is how long an answer may take.
func (s *session) timeout() time.Duration { return cmp.Or(s.server.Timeout, DefaultTimeout) }

// tooLong is what happens to a request that takes longer.
func (s *session) tooLong() error {
	return fmt.Errorf("no answer within %s (timeout_ms)", s.timeout())
}

// within returns a context that ends when an answer takes too long.
func (s *session) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.timeout(), s.tooLong())
}

// unanswered returns why a request has no result.
func (s *session) unanswered(limited context.Context, err error) error {
	err = s.told(err)
	var refused *jsonrpc.Error
	switch {
	case limited.Err() != nil:
		return context.Cause(limited)
	case s.process != nil && s.hasEnded():
		return fmt.Errorf("the server did not answer: %w", err)
	case errors.As(err, &refused) && refused.Code != rejected:
		s.answered.Store(true)
		return fmt.Errorf("the server answered with an error: %s", term.Plain(clip.Text(refused.Message, maxRefusal)))
	}
	return err
}

// rejected is the SDK's code for a message that a transport did not send.
const rejected = -32005

// told returns an error as a person should read it: why the connection ended, if it has.
func (s *session) told(err error) error {
	switch why := s.wire.why(); {
	case s.link != nil:
		err = s.link.why(err)
	case why != nil:
		err = why
	}
	return &plainError{err}
}

// plainError is an error whose text, a part of which is the server's, controls no terminal.
type plainError struct{ error }

func (e *plainError) Error() string { return term.Plain(e.error.Error()) }

func (e *plainError) Unwrap() error { return e.error }

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

// withStderr adds to an error the end of the standard error of a server that is a program.
func (s *session) withStderr(err error) error {
	if s.process == nil {
		return err
	}
	outcome, _ := s.process.Wait()
	if line := term.Line(outcome.LastLine()); line != "" {
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
