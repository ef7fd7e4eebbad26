package resident

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/chibi-host/chibi/plugin/process"
)

// conn asks one process. It matches answers to requests by their ids. After the first
// line that is not an answer to a request under way it is broken: its process is to end,
// and every request under way fails.
type conn struct {
	lines process.Lines
	// broke is called once, when the connection breaks: why, and how many requests were
	// under way.
	broke func(why error, underWay int)

	mu      sync.Mutex
	last    int64                    // the newest id
	waiting map[int64]chan<- arrival // the requests under way
	broken  error
}

// arrival is what became of a request.
type arrival struct {
	response response
	err      error
}

// errInterrupted means that the event of a request ended before its answer.
var errInterrupted = errors.New("interrupted")

// newConn returns a connection that has asked nothing. Its read must run.
func newConn(lines process.Lines, broke func(why error, underWay int)) *conn {
	return &conn{lines: lines, broke: broke, waiting: map[int64]chan<- arrival{}}
}

// ask sends a request and waits for its answer until ctx ends, which breaks the
// connection: the process is still busy with it. written reports whether the process may
// have seen a part of the request.
func (c *conn) ask(ctx context.Context, q Question) (r response, written bool, err error) {
	arrived := make(chan arrival, 1)
	id, err := c.register(arrived)
	if err != nil {
		return r, false, err
	}
	line, err := encode(id, q)
	if err != nil {
		c.forget(id)
		return r, false, fmt.Errorf("the request cannot be written as JSON: %w", err)
	}
	n, err := c.lines.WriteLine(ctx, line)
	switch {
	case err != nil && n == 0 && ctx.Err() != nil:
		c.forget(id)
		return r, false, whyOver(ctx)
	case err != nil:
		if ctx.Err() != nil {
			err = whyOver(ctx)
		}
		c.fail(err)
		return r, n > 0, c.why()
	}
	select {
	case a := <-arrived:
		return a.response, true, a.err
	case <-ctx.Done():
		c.fail(whyOver(ctx))
		a := <-arrived // the answer may just have come
		return a.response, true, a.err
	}
}

// whyOver returns why a context ended: the error of a time limit, or errInterrupted.
func whyOver(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, process.ErrTimeout) {
		return cause
	}
	return fmt.Errorf("%w: %w", errInterrupted, cause)
}

// register makes the id of a request and remembers who waits for the answer.
func (c *conn) register(arrived chan<- arrival) (id int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil {
		return 0, c.broken
	}
	c.last++
	c.waiting[c.last] = arrived
	return c.last, nil
}

// forget removes a request that was not written.
func (c *conn) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}

// read passes on answers until the connection breaks.
func (c *conn) read(ctx context.Context) {
	for {
		line, err := c.lines.ReadLine(ctx)
		if err == nil {
			err = c.deliver(line)
		}
		if err != nil {
			c.fail(err)
			return
		}
	}
}

// deliver passes an answer to the request that it belongs to.
func (c *conn) deliver(line []byte) error {
	r, err := decode(line)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	arrived, known := c.waiting[*r.ID]
	switch {
	case known:
		delete(c.waiting, *r.ID)
		arrived <- arrival{response: r}
		return nil
	case 1 <= *r.ID && *r.ID <= c.last:
		return fmt.Errorf("it answered request %d twice", *r.ID)
	}
	return fmt.Errorf("it answered request %d, which nobody made", *r.ID)
}

// fail breaks the connection.
func (c *conn) fail(why error) {
	c.mu.Lock()
	if c.broken != nil {
		c.mu.Unlock()
		return
	}
	c.broken = fmt.Errorf("its resident process: %w", why)
	waiting := c.waiting
	c.waiting = nil
	c.mu.Unlock()
	c.broke(c.broken, len(waiting))
	for _, arrived := range waiting {
		arrived <- arrival{err: c.broken}
	}
}

// why returns why the connection broke, nil if it did not.
func (c *conn) why() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broken
}
