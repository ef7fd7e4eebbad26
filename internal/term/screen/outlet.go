package screen

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
	"syscall"
	"time"
)

// stallTime is how long output waits for a reader who does not read, once the run
// is over.
const stallTime = time.Second

var errStalled = errors.New("nobody reads the output")

// outlet writes to a stream whose reader may pause: a full pager, Ctrl-S. During
// the run it waits for the reader. When the run is over it does not, since the
// result must be stored and the program must end.
type outlet struct {
	to      io.Writer
	ended   <-chan struct{} // closed when the run is over; nil if it never is
	stall   time.Duration
	stalled atomic.Bool
	lost    error // why output was lost that somebody expects
}

func (o *outlet) Write(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	if o.stalled.Load() {
		return 0, errStalled
	}
	done := make(chan result, 1)
	text := bytes.Clone(p)
	go func() {
		n, err := o.to.Write(text)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return r.n, o.noteLost(r.err)
	case <-o.ended:
	}
	select {
	case r := <-done:
		return r.n, o.noteLost(r.err)
	case <-time.After(o.stall):
		o.stalled.Store(true)
		return 0, errStalled
	}
}

// noteLost keeps the first error of a write, unless the error is that the reader or
// the terminal is gone: then nobody expects the output.
func (o *outlet) noteLost(err error) error {
	isGone := errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.EIO)
	if err != nil && o.lost == nil && !isGone {
		o.lost = err
	}
	return err
}
