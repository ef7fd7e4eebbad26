package natsstore

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/store"
)

const (
	// attemptTime is how long one request is waited for before it is repeated.
	attemptTime = 3 * time.Second
	// The pauses between attempts double from the first to the longest.
	firstPause   = 20 * time.Millisecond
	longestPause = time.Second
	dialTime     = 2 * time.Second
	// A server that does not answer pings any more, though it is connected, is left for
	// another one: after pingTime * (maxPings + 1).
	pingTime = 2 * time.Second
	maxPings = 2
)

// connection is a connection to the servers. It reconnects by itself.
type connection struct {
	nc      *nats.Conn
	place   place
	layout  layout
	timeout time.Duration
	copies  atomic.Int64 // of the documents, 0: not asked yet

	mu    sync.Mutex
	calls map[*call]bool // being waited for
}

// call is a request that is being waited for.
type call struct {
	subject string
	end     context.CancelCauseFunc
}

// begin prepares an attempt that uses a subject: the context ends when it has taken too
// long, and when the server does not permit the subject.
func (c *connection) begin(ctx context.Context, subject string) (context.Context, func()) {
	ctx, done := c.listen(ctx, subject)
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	return ctx, func() {
		cancel()
		done()
	}
}

// listen prepares the use of a subject: the context ends when the server does not permit it, which
// it may say as soon as the subject is used.
func (c *connection) listen(ctx context.Context, subject string) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	this := &call{subject, end}
	c.mu.Lock()
	c.calls[this] = true
	c.mu.Unlock()
	return ctx, func() {
		c.mu.Lock()
		delete(c.calls, this)
		c.mu.Unlock()
		end(nil)
	}
}

// heard receives what the client library has to say outside of calls, and would print. A
// missing permission is only said there; the call itself would wait in vain.
func (c *connection) heard(_ *nats.Conn, _ *nats.Subscription, err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	text := strings.TrimPrefix(err.Error(), nats.ErrPermissionViolation.Error()+": ")
	c.mu.Lock()
	defer c.mu.Unlock()
	for call := range c.calls {
		if concerns(text, call.subject) {
			call.end(&deniedError{text})
		}
	}
}

// dropped ends all calls: the connection on which their answers would come is gone. They
// are repeated.
func (c *connection) dropped(*nats.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for call := range c.calls {
		call.end(&passing{"the connection was lost"})
	}
}

// concerns reports whether the text of a missing permission is about a call's subject, or
// about the inbox that every call needs for its answer.
func concerns(text, subject string) bool {
	return strings.Contains(text, `"`+subject+`"`) || strings.Contains(text, `"`+nats.InboxPrefix)
}

// ask sends a request once and returns the answer.
func (c *connection) ask(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
	ctx, done := c.begin(ctx, m.Subject)
	defer done()
	answer, err := c.nc.RequestMsgWithContext(ctx, m)
	if err != nil {
		return nil, translated(ctx, err)
	}
	return answer, nil
}

// retry repeats an operation, with growing pauses, while the store is not available.
func (c *connection) retry(ctx context.Context, try func(context.Context) error) error {
	within, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	return c.repeat(ctx, within, try)
}

// repeat repeats an operation until a second context ends, which is made of the first. The error is
// the last one that is not only that it has ended.
func (c *connection) repeat(ctx, within context.Context, try func(context.Context) error) error {
	var last error
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := try(within)
		if !errors.Is(err, store.ErrUnavailable) || c.nc.IsClosed() {
			return err
		}
		if last == nil || within.Err() == nil {
			last = err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
			continue
		case <-within.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return errors.Join(last, context.Cause(ctx))
		}
		return &passing{"no success within " + c.timeout.String() + ": " + last.Error()}
	}
}
