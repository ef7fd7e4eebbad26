package disktest

import (
	"errors"
	"sync"
)

// ErrPower is the error of every operation after the power failure.
var ErrPower = errors.New("power failure")

// faults decide which operations fail. Their lock is the lock of the whole file system.
type faults struct {
	mu     sync.Mutex
	left   int   // operations until the failure begins; negative: never
	full   error // not a power failure: operations that need space fail with this error
	failed bool  // the failure has begun
	ops    int   // operations on names so far
}

// Failed reports whether the failure has begun.
func (f *faults) Failed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

// Fail makes the failure of NewFailing begin now.
func (f *faults) Fail() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = 0
}

// Cut makes the power failure, or the failure of NewFailing, begin at operation number cut
// from now on, from 0.
func (f *faults) Cut(cut int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = cut
}

// Ops returns the number of operations on files and directories so far, including reads.
func (f *faults) Ops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ops
}

// Free ends the failure of NewFailing.
func (f *faults) Free() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failed, f.left = false, -1
}

// operation counts an operation on a name, which fails without power.
func (f *faults) operation() error {
	f.ops++
	if f.failed && f.full == nil {
		return ErrPower
	}
	return nil
}

// step counts an operation. grows says that it needs space on the disk.
func (f *faults) step(grows bool) error {
	if f.left == 0 {
		f.failed = true
	}
	switch {
	case f.failed && f.full == nil:
		return ErrPower
	case f.failed && grows:
		return f.full
	case f.left > 0:
		f.left--
	}
	return nil
}
