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

// wait returns when there is input, or when it was woken.
func (w *waiter) wait() (isWoken bool, err error) {
	first, err := windows.WaitForMultipleObjects([]windows.Handle{w.woken, windows.Handle(w.in.Fd())}, false,
		windows.INFINITE)
	return err == nil && first == windows.WAIT_OBJECT_0, err
}

// wake ends the present wait and all later ones.
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
