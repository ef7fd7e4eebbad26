package contexts

import (
	"context"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
)

// owner implements the rules for locking a context, which keeps other processes out, and for
// what whoever has the lock may do to it as a whole. A turn holds the lock, so that entries of
// others do not come in between; everything else is safe without it.
type owner struct {
	store *Store
	ref   *parts.Ref
	lock  parts.Lock
}

// Lock reserves the context for this process until unlock is called. The error is a
// *LockedError if another process has it. held ends with ctx, with unlock, and when the lock
// is lost, as a lease on a shared store can be: what must not happen without the lock uses
// held.
func (o *owner) Lock(ctx context.Context) (held context.Context, unlock func(), err error) {
	return o.take(ctx, parts.ShortPatience)
}

// ReadAhead makes the next Lock of this handle that succeeds read at once what a turn begins with, where
// many machines share the store: that saves round trips. Elsewhere it does nothing, and for who has the
// lock.
func (o *owner) ReadAhead(a Ahead) {
	if !o.ref.Held {
		o.ref.Ahead = &a
	}
}

// Touch records that the context was used. Where many machines share the store, whoever has the lock
// records it while giving that back, and a failure is reported.
func (o *owner) Touch() error {
	if o.ref.Held && o.store.IsShared() {
		o.ref.Used = true
		return nil
	}
	return o.store.Touch(o.ref.Name)
}

// WaitLock is like Lock, but waits for another process until ctx ends.
func (o *owner) WaitLock(ctx context.Context) (held context.Context, unlock func(), err error) {
	return o.take(ctx, parts.Endless)
}

func (o *owner) take(ctx context.Context, p parts.Patience) (held context.Context, unlock func(), err error) {
	release, lost, err := o.lock(ctx, p)
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
	o.ref.Held = true
	return held, func() {
		o.ref.Held = false
		end(nil)
		release()
	}, nil
}

// Rename gives the context another name. The caller holds the lock, which stays valid, and
// the context's registration is kept. The error is ErrExists if the name is taken.
func (o *owner) Rename(to string) error {
	if err := ValidName(to); err != nil {
		return err
	}
	s, from := o.store, o.ref.Name
	if err := s.backend.Rename(from, to); err != nil {
		return fmt.Errorf("renaming context %q to %q: %w", from, to, err)
	}
	o.ref.Name = to
	if err := s.backend.Moved(from, to); err != nil {
		return fmt.Errorf("renaming context %q to %q: %w", from, to, err)
	}
	return nil
}

// Delete removes the context with everything in it, and returns the context that is then
// current. The caller holds the lock. After a crash either all of the context exists or, for
// every purpose, nothing. Its disk space is freed before anything is written, so that it also
// works on a full disk.
func (o *owner) Delete() (current string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("deleting context %q: %w", o.ref.Name, err)
		}
	}()
	home := o.store.backend
	if err := home.Remove(o.ref.Name); err != nil {
		return "", err
	}
	if err := home.Free(); err != nil {
		return "", err
	}
	return home.Forget(o.ref.Name)
}

// State returns the current and the previous context.
func (s *Store) State(ctx context.Context) (State, error) {
	return s.backend.Current(ctx)
}

// Switch makes a context the current one, and the one before it the previous one.
func (s *Store) Switch(name string) (from string, err error) {
	if err := ValidName(name); err != nil {
		return "", err
	}
	if _, err := s.backend.Create(context.Background(), name); err != nil {
		return "", fmt.Errorf("making context %q: %w", name, err)
	}
	if state, err := s.backend.Current(context.Background()); err == nil && state.Current == name {
		return name, s.backend.Touch(name)
	}
	return s.backend.Enter(name)
}

// Touch records that a context was used now.
func (s *Store) Touch(name string) error { return s.backend.Touch(name) }

// SetDestroyRule changes when chibi removes a context, and makes the context if there is none. A
// nil argument changes nothing.
func (s *Store) SetDestroyRule(name string, at *time.Time, afterInactive *time.Duration) error {
	if err := ValidName(name); err != nil {
		return err
	}
	if _, err := s.backend.Create(context.Background(), name); err != nil {
		return fmt.Errorf("making context %q: %w", name, err)
	}
	return s.backend.Change(name, func(e *registry.Context) {
		if at != nil {
			e.DestroyAt = at.Unix()
		}
		if afterInactive != nil {
			e.DestroyAfterSecondsInactive = int64(*afterInactive / time.Second)
		}
	})
}
