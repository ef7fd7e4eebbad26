package resident

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools"
)

// conn asks one process. It matches answers to requests by their ids. After the first
// line that is not an answer to a request under way it is broken: its process is to end,
// and every request under way fails.
type conn struct {
	lines lines
	// spool makes files for strings that are too large for memory; nil: there are none.
	spool func() (process.Spool, error)
	// broke is called once, when the connection breaks: why, and the requests under way.
	broke func(why error, underWay []pending)

	mu      sync.Mutex
	last    int64             // the newest id
	waiting map[int64]pending // the requests under way
	broken  error
	late    error // why Cut was called
}

// lines is what a connection needs of its process: a [process.Process], or a test's
// stand-in.
type lines interface {
	ReadLong(ctx context.Context) (process.Line, error)
	WriteLine(ctx context.Context, line []byte) (n int, err error)
	LimitLines(bytes int64)
	// Cut ends the process. Its output until then can still be read.
	Cut()
}

// pending is a request under way.
type pending struct {
	arrived chan<- arrival
	long    int64 // see Question.Long
}

// arrival is what became of a request.
type arrival struct {
	response response
	long     *Long
	err      error
	unread   bool // see Answer.Unread
}

// errInterrupted means that the event of a request ended before its answer.
var errInterrupted = errors.New("interrupted")

// newConn returns a connection that has asked nothing. Its read must run.
func newConn(lines lines, broke func(why error, underWay []pending)) *conn {
	return &conn{lines: lines, broke: broke, waiting: map[int64]pending{}}
}

// ask sends a request and waits for its answer until ctx ends, which breaks the
// connection: the process is still busy with it. written reports whether the process may
// have seen a part of the request.
func (c *conn) ask(ctx context.Context, q Question) (a arrival, written bool) {
	arrived := make(chan arrival, 1)
	id, err := c.register(pending{arrived, q.Long})
	if err != nil {
		return arrival{err: err}, false
	}
	line, err := encode(id, q)
	if err != nil {
		c.forget(id)
		return arrival{err: fmt.Errorf("the request cannot be written as JSON: %w", err)}, false
	}
	n, err := c.lines.WriteLine(ctx, line)
	switch {
	case err != nil && n == 0 && ctx.Err() != nil:
		c.forget(id)
		return arrival{err: whyOver(ctx)}, false
	case err != nil:
		if ctx.Err() != nil {
			err = whyOver(ctx)
		}
		c.fail(err)
		return arrival{err: c.why(), unread: n > 0}, n > 0
	}
	select {
	case a = <-arrived:
	case <-ctx.Done():
		c.over(whyOver(ctx))
		a = <-arrived // the answer may have come, or be in the pipe
	}
	return a, true
}

// over breaks the connection because a request has ended: at once if nobody waits for the answer,
// otherwise when what the process wrote in time has been read.
func (c *conn) over(why error) {
	if !errors.Is(why, process.ErrTimeout) && !errors.Is(why, context.DeadlineExceeded) {
		c.fail(why)
		return
	}
	c.mu.Lock()
	isFirst := c.late == nil
	c.late = cmp.Or(c.late, why)
	c.mu.Unlock()
	if isFirst {
		c.lines.Cut()
	}
}

// reason returns why nothing more can be read: if the process was cut, that its time was over, or
// that it is ended although it has answered.
func (c *conn) reason(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.late == nil || !errors.Is(err, process.ErrClosed):
		return err
	case len(c.waiting) == 0:
		return fmt.Errorf("%w: the answer was read late", errInterrupted)
	}
	return c.late
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
func (c *conn) register(p pending) (id int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil {
		return 0, c.broken
	}
	c.last++
	c.waiting[c.last] = p
	c.limit()
	return c.last, nil
}

// limit bounds lines by what is under way.
func (c *conn) limit() {
	most := int64(MaxAnswer)
	for _, p := range c.waiting {
		most = max(most, p.long)
	}
	c.lines.LimitLines(most)
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
		line, err := c.lines.ReadLong(ctx)
		if err == nil {
			err = c.deliver(line)
		}
		if err != nil {
			c.fail(c.reason(err))
			return
		}
	}
}

// deliver passes an answer to the request that it belongs to.
func (c *conn) deliver(line process.Line) error {
	r, long, err := c.open(line)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	asked, known := c.waiting[*r.ID]
	if !known && long != nil {
		long.File.Close()
	}
	switch {
	case known:
		delete(c.waiting, *r.ID)
		c.limit()
		asked.arrived <- arrival{response: r, long: long}
		return nil
	case 1 <= *r.ID && *r.ID <= c.last:
		return fmt.Errorf("it answered request %d twice", *r.ID)
	}
	return fmt.Errorf("it answered request %d, which nobody made", *r.ID)
}

// open reads a line as a response, and if it is in a file, which it removes, its long string.
func (c *conn) open(line process.Line) (r response, long *Long, err error) {
	if line.Spooled == nil {
		r, err = decode(line.Data)
		return r, nil, err
	}
	file := tools.NewOutputFile(line.Spooled, line.Size)
	defer file.Close()
	short, long, err := readLong(file.Path(), c.spool)
	if err == nil {
		r, err = decode(short)
	}
	if err == nil && c.takesLong(*r.ID) {
		return r, long, nil
	}
	if long != nil {
		long.File.Close()
	}
	if err != nil || line.Size > MaxAnswer {
		return r, nil, cmp.Or(err, fmt.Errorf("%w: its answer is larger than %d MiB", process.ErrOutputLimit, MaxAnswer>>20))
	}
	whole, err := os.ReadFile(file.Path())
	if err != nil {
		return r, nil, err
	}
	r, err = decode(whole)
	return r, nil, err
}

// takesLong reports whether the answer of a request may have a long string.
func (c *conn) takesLong(id int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waiting[id].long > 0
}

// fail breaks the connection.
func (c *conn) fail(why error) {
	c.mu.Lock()
	if c.broken != nil {
		c.mu.Unlock()
		return
	}
	c.broken = fmt.Errorf("its resident process: %w", why)
	underWay := slices.Collect(maps.Values(c.waiting))
	c.waiting = nil
	c.mu.Unlock()
	c.broke(c.broken, underWay)
	for _, p := range underWay {
		p.arrived <- arrival{err: c.broken}
	}
}

// wasAsked reports whether a request was made.
func (c *conn) wasAsked() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last > 0
}

// isIdle reports whether the connection is not broken and no request is under way.
func (c *conn) isIdle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broken == nil && len(c.waiting) == 0
}

// why returns why the connection broke, nil if it did not.
func (c *conn) why() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broken
}
