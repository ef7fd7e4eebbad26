package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// ErrLocked means that another process or goroutine holds the lock.
var ErrLocked = errors.New("locked")

// Lock takes the kernel lock on a file and waits until it is free. It creates the file if
// it does not exist. A lock ends with its process. The directory must exist.
func Lock(path string) (unlock func(), err error) {
	return take(path, func(l *flock.Flock) error { return l.Lock() })
}

// TryLock is Lock without waiting: it fails with ErrLocked.
func TryLock(path string) (unlock func(), err error) {
	return take(path, func(l *flock.Flock) error {
		ok, err := l.TryLock()
		if err == nil && !ok {
			err = ErrLocked
		}
		return err
	})
}

// IsLocked reports whether the lock on a file is held. It does not create the file. If the
// lock is free, it takes a shared lock for an instant.
func IsLocked(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	l := flock.New(path, flock.SetFlag(os.O_RDONLY))
	defer l.Close()
	ok, err := l.TryRLock()
	return err == nil && !ok
}

// LockWithin is Lock, but fails with ErrLocked after the given time, because the holder may
// be a stopped process.
func LockWithin(path string, wait time.Duration) (unlock func(), err error) {
	const longest = 20 * time.Millisecond
	end := time.Now().Add(wait)
	for pause := time.Millisecond; ; pause = min(2*pause, longest) {
		unlock, err = TryLock(path)
		left := time.Until(end)
		if !errors.Is(err, ErrLocked) || left <= 0 {
			return unlock, err
		}
		time.Sleep(min(pause, left))
	}
}

// WaitLock is Lock, but returns the error of ctx when ctx ends.
func WaitLock(ctx context.Context, path string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	type result struct {
		unlock func()
		err    error
	}
	done := make(chan result, 1)
	go func() {
		unlock, err := Lock(path)
		done <- result{unlock, err}
	}()
	select {
	case r := <-done:
		return r.unlock, r.err
	case <-ctx.Done():
		go func() { // the wait in the kernel cannot be cancelled; release the lock when it is granted
			if r := <-done; r.err == nil {
				r.unlock()
			}
		}()
		return nil, ctx.Err()
	}
}

// take locks a file with lock. If the file was renamed or removed during the wait, it locks
// the file that has the name now.
func take(path string, lock func(*flock.Flock) error) (unlock func(), err error) {
	if info, err := os.Stat(path); err == nil { // opening a named pipe would block
		if err := checkRegular(path, info); err != nil {
			return nil, err
		}
	}
	for {
		l := flock.New(path, flock.SetPermissions(0o600))
		if err := lock(l); err != nil {
			l.Close()
			return nil, err
		}
		if isCurrent(l, path) {
			return func() { l.Unlock() }, nil
		}
		l.Unlock()
	}
}

func isCurrent(l *flock.Flock, path string) bool {
	held, err := l.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || os.SameFile(held, named)
}
