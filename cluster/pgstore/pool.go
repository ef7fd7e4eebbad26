package pgstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// maxConnections is how many connections a process has at most for statements.
	maxConnections = 4
	// idleTime is after how long an unused connection is closed: the model answers for longer.
	idleTime = 2 * time.Second
	// closeTime bounds the server's farewell.
	closeTime = time.Second
)

var errClosed = errors.New("the store was closed")

// pool keeps the connections of a process: none until one is needed, one as long as one
// statement runs at a time, and none while nothing happens.
type pool struct {
	connect func(ctx context.Context) (*pgconn.PgConn, error)
	slots   chan struct{}
	closed  chan struct{}

	mu    sync.Mutex
	idle  []idleConn // the newest last
	timer *time.Timer
}

type idleConn struct {
	conn  *pgconn.PgConn
	since time.Time
}

func newPool(connect func(ctx context.Context) (*pgconn.PgConn, error)) *pool {
	p := &pool{connect: connect, slots: make(chan struct{}, maxConnections), closed: make(chan struct{})}
	p.timer = time.AfterFunc(time.Hour, p.closeIdle)
	p.timer.Stop()
	return p
}

// take returns a connection that nobody else uses, until give.
func (p *pool) take(ctx context.Context) (*pgconn.PgConn, error) {
	select {
	case <-p.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	case p.slots <- struct{}{}:
	}
	if err := p.over(ctx); err != nil { // of what is so at once, select finds any
		<-p.slots
		return nil, err
	}
	// The server may have ended it meanwhile. Then the statement fails, and is repeated.
	if conn := p.newestIdle(); conn != nil {
		return conn, nil
	}
	conn, err := p.connect(ctx)
	if err != nil {
		<-p.slots
	}
	return conn, err
}

// over returns why chibi must send nothing more, or nil.
func (p *pool) over(ctx context.Context) error {
	select {
	case <-p.closed:
		return errClosed
	default:
		return ctx.Err()
	}
}

func (p *pool) newestIdle() *pgconn.PgConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return nil
	}
	conn := p.idle[last].conn
	p.idle = p.idle[:last]
	return conn
}

// give takes a connection back; a broken one is dropped.
func (p *pool) give(conn *pgconn.PgConn) {
	defer func() { <-p.slots }()
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.closed:
		go bury(conn)
		return
	default:
	}
	if conn.IsClosed() {
		return
	}
	p.idle = append(p.idle, idleConn{conn, time.Now()})
	p.timer.Reset(idleTime)
}

// closeIdle closes the connections that were not used for a while.
func (p *pool) closeIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 && time.Since(p.idle[0].since) >= idleTime {
		go bury(p.idle[0].conn)
		p.idle = p.idle[1:]
	}
	if len(p.idle) > 0 {
		p.timer.Reset(idleTime - time.Since(p.idle[0].since))
	}
}

// drop closes all connections that are not in use: their server takes no writes any more.
func (p *pool) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, idle := range p.idle {
		go bury(idle.conn)
	}
	p.idle = nil
}

// close ends the pool; connections in use are closed when they are given back.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.closed:
		return
	default:
		close(p.closed)
	}
	p.timer.Stop()
	for _, idle := range p.idle {
		bury(idle.conn)
	}
	p.idle = nil
}

func bury(conn *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	conn.Close(ctx)
}
