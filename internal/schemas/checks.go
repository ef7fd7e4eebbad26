package schemas

import (
	"context"
	"slices"
	"sync"

	"github.com/chibi-host/chibi/plugin/oneshot"
)

// Checks ask plugins again, one at a time and in the background, to see whether what is
// remembered of them is still true. They begin once, and end with the run. A nil value
// does nothing.
type Checks struct {
	prober *oneshot.Prober
	keep   func()

	mu      sync.Mutex
	stopped bool
	cancel  context.CancelFunc // nil: they have not begun
	done    chan struct{}      // closed when nothing is left of them
}

// NewChecks returns checks of what a prober answered. keep is called when they have ended.
func NewChecks(prober *oneshot.Prober, keep func()) *Checks {
	return &Checks{prober: prober, keep: keep}
}

// Begin begins the checks, unless they have begun or are not wanted any more.
func (c *Checks) Begin() {
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

// Stop ends what has not finished, without waiting for it, and reports whether the checks
// had begun.
func (c *Checks) Stop() (begun bool) {
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

// End waits until nothing is left of the checks, and keeps what they found. It may be
// called more than once.
func (c *Checks) End() {
	if c.Stop() {
		<-c.done
		c.keep()
	}
}

// ForgetGuard forgets that a plugin of a directory said that its failure blocks: until it says so
// again, nothing is refused while it is missing.
func ForgetGuard(home, dir, name string) error {
	memory := Open(home, Options{})
	others := slices.DeleteFunc(slices.Clone(memory.Guards(dir)), func(other string) bool { return other == name })
	memory.KeepGuards(dir, others)
	return memory.Save("")
}
