package app

import (
	"context"
	"sync"

	"github.com/chibi-host/chibi/plugin/oneshot"
)

// checks asks plugins again, one at a time and in the background, to see whether what is
// remembered of them is still true. They begin once, and end with the run. A nil value
// does nothing.
type checks struct {
	prober *oneshot.Prober
	keep   func()

	mu      sync.Mutex
	stopped bool
	cancel  context.CancelFunc // nil: they have not begun
	done    chan struct{}      // closed when nothing is left of them
}

// begin begins the checks, unless they have begun or are not wanted any more.
func (c *checks) begin() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped || c.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel, c.done = cancel, make(chan struct{})
	go func() {
		defer close(c.done)
		c.prober.Recheck(ctx)
	}()
}

// stop ends what has not finished, without waiting for it, and reports whether the checks
// had begun.
func (c *checks) stop() (begun bool) {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	if c.cancel != nil {
		c.cancel()
	}
	return c.cancel != nil
}

// end waits until nothing is left of the checks, and keeps what they found. It may be
// called more than once.
func (c *checks) end() {
	if c.stop() {
		<-c.done
		c.keep()
	}
}
