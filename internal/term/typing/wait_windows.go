package typing

import (
	"os"
	"sync"

	"golang.org/x/sys/windows"
)

type waiter struct {
	in    *os.File
	woken windows.Handle // an event

	mu     sync.Mutex
	closed bool
}

func newWaiter(in *os.File) (*waiter, error) {
	woken, err := windows.CreateEvent(nil, 1, 0, nil)
	return &waiter{in: in, woken: woken}, err
}

// wait waits at most so many milliseconds; -1: without a limit.
func (w *waiter) wait(limit int) (isWoken, isReady bool, err error) {
	milliseconds := uint32(windows.INFINITE)
	if limit >= 0 {
		milliseconds = uint32(limit)
	}
	first, err := windows.WaitForMultipleObjects([]windows.Handle{w.woken, windows.Handle(w.in.Fd())}, false,
		milliseconds)
	return err == nil && first == windows.WAIT_OBJECT_0, err == nil && first == windows.WAIT_OBJECT_0+1, err
}

func (w *waiter) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		windows.SetEvent(w.woken)
	}
}

func (w *waiter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	windows.CloseHandle(w.woken)
}
