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

func (w *waiter) wait() (isWoken bool, err error) {
	first, err := windows.WaitForMultipleObjects([]windows.Handle{w.woken, windows.Handle(w.in.Fd())}, false,
		windows.INFINITE)
	return err == nil && first == windows.WAIT_OBJECT_0, err
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
