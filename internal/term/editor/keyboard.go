package editor

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// keyboard reads what is typed at a terminal, with pasted texts replaced by notes.
type keyboard struct {
	*typed
	in          *os.File
	wake, waker *os.File // a pipe that is closed when ctx ends
	stop        func() bool
	ctx         func() error
}

// newKeyboard returns a keyboard that reads until ctx ends. A read from a terminal cannot
// be cancelled, so it polls for a key or the end of ctx; otherwise a goroutine would
// remain that consumes the next line.
func newKeyboard(ctx context.Context, in *os.File, before *typed) (*keyboard, error) {
	wake, waker, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	k := &keyboard{typed: before, in: in, wake: wake, waker: waker, ctx: ctx.Err}
	k.stop = context.AfterFunc(ctx, func() { waker.Close() })
	return k, nil
}

func (k *keyboard) close() {
	k.stop()
	k.waker.Close()
	k.wake.Close()
}

// why returns the reason for an error of the terminal.
func (k *keyboard) why(err error) error {
	switch {
	case k.ctx() != nil:
		return k.ctx()
	case k.interrupted:
		return ErrInterrupted
	}
	return err
}

// Read reads keys, at most to the end of a line: what was typed after it is for the next
// prompt.
func (k *keyboard) Read(p []byte) (int, error) {
	for len(k.pending) == 0 {
		buf := make([]byte, 4096)
		n, err := k.readRaw(buf)
		if n > 0 {
			k.feed(buf[:n])
			continue
		}
		if err == nil {
			err = io.EOF
		}
		return 0, err
	}
	line := k.pending
	if end := bytes.IndexAny(line, "\r\n"); end >= 0 {
		line = line[:end+1]
	}
	n := copy(p, line)
	k.pending = k.pending[n:]
	return n, nil
}

// readRaw waits for keys or the end of ctx.
func (k *keyboard) readRaw(buf []byte) (int, error) {
	fds := []unix.PollFd{{Fd: int32(k.in.Fd()), Events: unix.POLLIN}, {Fd: int32(k.wake.Fd()), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, -1)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, err
		case fds[1].Revents != 0:
			return 0, context.Canceled
		}
		return k.in.Read(buf)
	}
}
