package disk

import (
	"errors"

	"github.com/gofrs/flock"
)

// ErrLocked says that somebody else holds a lock.
var ErrLocked = errors.New("locked")

// Lock takes the kernel's lock on a file, which is made if it is missing, and
// waits for whoever has it. Nobody can keep it beyond their process's life.
func Lock(path string) (unlock func(), err error) {
	l := flock.New(path, flock.SetPermissions(0o600))
	if err := l.Lock(); err != nil {
		return nil, err
	}
	return func() { l.Unlock() }, nil
}

// TryLock is Lock without waiting: it fails with ErrLocked.
func TryLock(path string) (unlock func(), err error) {
	l := flock.New(path, flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrLocked
	}
	return func() { l.Unlock() }, nil
}
