// Package typing reads what a person types at a terminal. It promises that a read ends with
// its context and takes nothing of what is typed later.
package typing

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Reader reads from a terminal until a context ends. A read from a terminal cannot be
// cancelled, so it polls for input or the end of the context; otherwise a goroutine would
// remain that takes the next line. It is not safe for concurrent use.
type Reader struct {
	in          *os.File
	ended       func() error
	wake, waker *os.File // a pipe that is closed when ctx ends
	stop        func() bool
}

// NewReader returns a reader, which the caller closes.
func NewReader(ctx context.Context, in *os.File) (*Reader, error) {
	wake, waker, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { waker.Close() })
	return &Reader{in, ctx.Err, wake, waker, stop}, nil
}

// Read waits for input or the end of the context, whose error it then returns.
func (r *Reader) Read(p []byte) (int, error) {
	fds := []unix.PollFd{{Fd: int32(r.in.Fd()), Events: unix.POLLIN}, {Fd: int32(r.wake.Fd()), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, -1)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, err
		case fds[1].Revents != 0:
			return 0, r.ended()
		}
		return r.in.Read(p)
	}
}

// Close ends the reader. The terminal stays open.
func (r *Reader) Close() {
	r.stop()
	r.waker.Close()
	r.wake.Close()
}
