// Package typing reads what a person types at a terminal. It promises that a read ends with
// its context and takes no character that is typed later.
package typing

import (
	"context"
	"os"
	"time"
)

// Reader reads from a terminal until a context ends. A read from a terminal cannot be
// cancelled, so it waits for input or the end of the context first; otherwise a goroutine
// would remain that takes the next line. It is not safe for concurrent use.
type Reader struct {
	in    *os.File
	ended func() error
	input *waiter // woken when the context ends
	stop  func() bool
}

// NewReader returns a reader, which the caller closes.
func NewReader(ctx context.Context, in *os.File) (*Reader, error) {
	input, err := newWaiter(in)
	if err != nil {
		return nil, err
	}
	return &Reader{in, ctx.Err, input, context.AfterFunc(ctx, input.wake)}, nil
}

// Read waits for input or the end of the context, whose error it then returns.
func (r *Reader) Read(p []byte) (int, error) {
	isWoken, _, err := r.input.wait(-1)
	switch {
	case err != nil:
		return 0, err
	case isWoken:
		return 0, r.ended()
	}
	return r.in.Read(p)
}

// More reports whether there is input within a time, which is a whole number of milliseconds.
func (r *Reader) More(within time.Duration) bool {
	_, isReady, err := r.input.wait(int(within.Milliseconds()))
	return isReady && err == nil
}

// Close ends the reader. The terminal stays open.
func (r *Reader) Close() {
	r.stop()
	r.input.close()
}
