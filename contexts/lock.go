package contexts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// ErrLost is the cause of the end of the context.Context from Lock if the lock was
// lost: another process may use the context now.
var ErrLost = errors.New("the lock was lost")

// LockedError reports that another process uses a context.
type LockedError struct {
	Context string
	// Holder is the process that uses it, as far as is known.
	Holder Holder
}

// Holder is a process that uses a context.
type Holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// Error returns who uses the context and what to do.
func (e *LockedError) Error() string {
	return fmt.Sprintf("context %q is in use by %s; wait for it (--wait), or use another context (-C NAME)",
		e.Context, e.Holder)
}

// String returns the holder for people.
func (h Holder) String() string {
	if h.PID <= 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d on %s since %s", h.PID, h.Host, h.Since.Local().Format(time.DateTime))
}

// thisProcess returns this process as the holder of a lock that is taken now.
func thisProcess(now time.Time) Holder {
	host, _ := os.Hostname()
	return Holder{PID: os.Getpid(), Host: host, Since: now.UTC().Truncate(time.Second)}
}

// patience is how long to wait for a lock.
type patience int

const (
	// noPatience gives up at once.
	noPatience patience = iota
	// shortPatience outlasts processes that only check whether a context is in use,
	// which hold its lock for an instant.
	shortPatience
	// endless waits until the caller's context ends.
	endless
)

// lockPatience is how long shortPatience lasts.
const lockPatience = 200 * time.Millisecond

// owner implements the rules for locking a context.
type owner struct{ ref *ref }

// Lock reserves the context for this process until unlock is called.
func (o *owner) Lock(ctx context.Context) (held context.Context, unlock func(), err error) {
	return o.lock(ctx, shortPatience)
}

// WaitLock is like Lock, but waits for another process until ctx ends.
func (o *owner) WaitLock(ctx context.Context) (held context.Context, unlock func(), err error) {
	return o.lock(ctx, endless)
}

func (o *owner) lock(ctx context.Context, p patience) (held context.Context, unlock func(), err error) {
	release, lost, err := o.ref.store.backend.lock(ctx, o.ref, p)
	if err != nil {
		return nil, nil, err
	}
	held, end := context.WithCancelCause(ctx)
	if lost != nil {
		go func() {
			select {
			case <-lost:
				end(ErrLost)
			case <-held.Done():
			}
		}()
	}
	o.ref.held = true
	return held, func() {
		o.ref.held = false
		end(nil)
		release()
	}, nil
}
