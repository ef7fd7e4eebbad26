package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools"
)

// maxStarts is how often a server is started that does not answer a call in between: once,
// and three times again.
const maxStarts = 4

// PoolConfig has everything that a [Pool] needs from its host. The functions are called from any
// goroutine, also at the same time.
type PoolConfig struct {
	// Version is the version of the program; chibi tells it to servers.
	Version string
	// Runner starts the servers that are programs. Its Stderr receives their standard error;
	// nil: only its end is kept, for messages.
	Runner process.Runner
	// HTTP says how to reach the others.
	HTTP HTTP
	// Fill returns a server with its variables filled in; nil: chibi uses servers as they are.
	Fill func(Server) (Server, error)
	// Notify tells the person something; nil: nobody gets it.
	Notify func(message string)
	// Changed is called when a server says that its tools have changed, or when a tool
	// differs from its definition in the list; nil: nobody gets that.
	Changed func(server string)
	// Keep keeps a part of a result that is not text, such as an image, and returns where it
	// is; nil: it is not kept, and the result says so.
	Keep func(Kept) (place string, err error)
	// Spool makes a file for a text of a result that is larger than 1 MiB; nil: it stays in
	// memory.
	Spool func() (process.Spool, error)
	// Elicit asks the person a server's question during a call; nil: servers get the answer that
	// nobody can answer. The time of a call does not run while it waits. Its context ends
	// with the calls of the server; an error declines the question, and the person gets a notice.
	Elicit func(context.Context, Question) (Answer, error)
}

// filled returns a server as it is reached.
func (c PoolConfig) filled(server Server) (Server, error) {
	if c.Fill == nil {
		return server, nil
	}
	return c.Fill(server)
}

// Pool holds the connections to the servers of a run: one for each, opened when it is used
// first, and again when it has ended. It is safe for concurrent use.
type Pool struct {
	cfg PoolConfig

	mu     sync.Mutex
	places map[string]*place // by the name of the server
	closed bool
}

type place struct {
	turn    chan struct{}      // holds an element while somebody uses the fields below
	cancel  context.CancelFunc // of the start that is under way, nil if none is; guarded by the pool
	session *session           // nil: none was opened yet
	starts  int                // since the last answer to a call
	failed  error              // why the last start failed
}

// errPoolClosed is what happens to calls when the run ends.
var errPoolClosed = errors.New("the run ends")

// NewPool returns a pool without connections. Close it.
func NewPool(cfg PoolConfig) *Pool { return &Pool{cfg: cfg, places: map[string]*place{}} }

// Close ends all connections at the same time, and the servers that are programs. Calls
// that wait fail.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	for _, l := range p.places {
		if l.cancel != nil {
			l.cancel()
		}
	}
	p.mu.Unlock()
	var closing sync.WaitGroup
	for _, l := range p.places { // nobody adds to it any more
		closing.Go(func() {
			l.turn <- struct{}{}
			defer func() { <-l.turn }()
			if l.session != nil {
				l.session.close()
			}
		})
	}
	closing.Wait()
}

func (p *Pool) place(server string) (*place, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errPoolClosed
	}
	if p.places[server] == nil {
		p.places[server] = &place{turn: make(chan struct{}, 1)}
	}
	return p.places[server], nil
}

// session returns the connection to a server, which it opens if there is none.
func (p *Pool) session(ctx context.Context, server Server) (*session, error) {
	l, err := p.place(server.Name)
	if err != nil {
		return nil, err
	}
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if l.session != nil && !l.session.hasEnded() {
		return l.session, nil
	}
	return p.open(ctx, l, server)
}

// open opens a connection whose turn the caller has.
func (p *Pool) open(ctx context.Context, l *place, server Server) (*session, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer p.openingEnds(l, cancel)
	p.mu.Lock()
	l.cancel = cancel
	isClosed := p.closed
	p.mu.Unlock()
	if isClosed {
		return nil, errPoolClosed
	}
	if old := l.session; old != nil {
		old.close()
		l.session, l.failed = nil, old.wire.why()
		if old.answered.Load() {
			l.starts = 0
		}
	}
	if l.starts == maxStarts {
		return nil, fmt.Errorf("MCP server %q was started %d times without answering a call and is not started again "+
			"in this run: %w; see: chibi mcp check %s", server.Name, maxStarts, l.failed, server.Name)
	}
	s, err := p.connect(ctx, server)
	switch {
	case err == nil:
		l.session, l.starts = s, l.starts+1
		return s, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	if !errors.As(err, new(*LoginError)) { // after a login it can be reached
		l.starts, l.failed = l.starts+1, err
	}
	return nil, helped(server, fmt.Errorf("MCP server %q: %w", server.Name, err))
}

// openingEnds is called when a start is over.
func (p *Pool) openingEnds(l *place, cancel context.CancelFunc) {
	p.mu.Lock()
	l.cancel = nil
	p.mu.Unlock()
	cancel()
}

// Call calls a tool of a server, by the server's name of it. A failure is a Result with
// Failed set; an error means that ctx ended. A call is sent once: if the server ends before
// it answers, the call fails, and the next one starts the server again.
func (p *Pool) Call(ctx context.Context, server Server, tool string,
	arguments json.RawMessage) (tools.Result, error) {
	return p.call(ctx, server, wanted{name: tool}, arguments)
}

// call is Call for a tool that may have to have the definition that the rules saw.
func (p *Pool) call(ctx context.Context, server Server, tool wanted,
	arguments json.RawMessage) (tools.Result, error) {
	begun := time.Now()
	s, err := p.session(ctx, server)
	if err == nil && tool.hash != "" {
		if err = s.offer.check(ctx, s, tool); err != nil {
			p.changed(server)
		}
	}
	times := &tools.Served{Server: server.Name, Start: time.Since(begun)}
	if err == nil {
		r := reader{keep: p.cfg.Keep, spool: p.cfg.Spool,
			kept: Kept{Server: server.Name, Tool: tool.name, Arguments: arguments}}
		var text json.RawMessage
		if text, err = s.call(ctx, tool.name, arguments, times); err == nil {
			result := r.result(text)
			result.Served = times
			return result, nil
		}
		err = fmt.Errorf("tool %q of MCP server %q: %w", tool.name, server.Name, err)
	}
	if ctx.Err() != nil {
		return tools.Result{}, ctx.Err()
	}
	var login *LoginError
	if errors.As(err, &login) { // which says all that the model and the person need
		err = login
	}
	return tools.Result{Text: "Error: " + err.Error(), Failed: true, Served: times}, nil
}

// helped adds to the error of a server what the person can do. That of a login says it itself.
func helped(server Server, err error) error {
	if login, ok := errors.AsType[*LoginError](err); ok {
		return login
	}
	return fmt.Errorf("%w; see: chibi mcp check %s", err, server.Name)
}

// changed tells the host that a server's tools are not what they were.
func (p *Pool) changed(server Server) {
	if p.cfg.Changed != nil {
		p.cfg.Changed(server.Name)
	}
}

// notify tells the person something.
func (p *Pool) notify(format string, args ...any) {
	if p.cfg.Notify != nil {
		p.cfg.Notify(fmt.Sprintf(format, args...))
	}
}
