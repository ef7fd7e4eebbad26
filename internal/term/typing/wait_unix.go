//go:build unix

package typing

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

type waiter struct {
	in          *os.File
	woken, ends *os.File // a pipe; its end is closed to wake
}

func newWaiter(in *os.File) (*waiter, error) {
	woken, ends, err := os.Pipe()
	return &waiter{in, woken, ends}, err
}

// wait waits at most so many milliseconds; -1: without a limit.
func (w *waiter) wait(limit int) (isWoken, isReady bool, err error) {
	fds := []unix.PollFd{{Fd: int32(w.in.Fd()), Events: unix.POLLIN}, {Fd: int32(w.woken.Fd()), Events: unix.POLLIN}}
	for {
		if _, err = unix.Poll(fds, limit); !errors.Is(err, unix.EINTR) {
			return fds[1].Revents != 0, fds[0].Revents != 0, err
		}
	}
}

func (w *waiter) wake() { w.ends.Close() }

func (w *waiter) close() {
	w.ends.Close()
	w.woken.Close()
}
