package contexts

import (
	"context"
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/contexts/internal/parts"
)

// owner implements the rules for locking a context.
type owner struct {
	store *Store
	ref   *parts.Ref
	lock  parts.Lock
}

// Lock reserves the context for this process until unlock is called.
func (o *owner) Lock(ctx context.Context) (held context.Context, unlock func(), err error) {
	return o.take(ctx, parts.ShortPatience)
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

// Rename gives the context another name.
func (o *owner) Rename(to string) error {
	if err := ValidName(to); err != nil {
		return err
	}
	s, from := o.store, o.ref.Name
	err := s.backend.Rename(from, to)
	if err == nil {
		o.ref.Name = to
		err = s.backend.Moved(from, to)
	}
	if err != nil {
		return fmt.Errorf("renaming context %q to %q: %w", from, to, err)
	}
	return nil
}

// Delete removes the context with everything in it. Its disk space is freed before
// anything is written, so that it also works on a full disk.
func (o *owner) Delete() (current string, err error) {
	home := o.store.backend
	err = home.Remove(o.ref.Name)
	if err == nil {
		err = home.Free()
	}
	if err == nil {
		current, err = home.Forget(o.ref.Name)
	}
	if err != nil {
		return current, fmt.Errorf("deleting context %q: %w", o.ref.Name, err)
	}
	return current, nil
}

// Expired is a context that was removed because it had expired.
type Expired struct {
	Name string
	// Why is the setting that asked for it.
	Why string
}

// Expire removes expired contexts. One that cannot be removed does not keep the others.
func (s *Store) Expire(ctx context.Context, inUse string) (removed []Expired, err error) {
	entries, err := s.backend.Expiring(ctx)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	state, err := s.backend.Current(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	var failed error
	for _, e := range entries {
		why := e.IsDue(s.Now(), s.backend.LastUse)
		if why == "" || e.Name == state.Current || e.Name == inUse || !s.Exists(ctx, e.Name) {
			continue
		}
		gone, err := s.expire(ctx, e.Name)
		if failed = errors.Join(failed, err); gone {
			removed, names = append(removed, Expired{e.Name, why}), append(names, e.Name)
		}
	}
	if len(names) == 0 {
		return nil, failed
	}
	if err = s.backend.Free(); err == nil {
		_, err = s.backend.Forget(names...)
	}
	return removed, errors.Join(failed, err)
}

// expire removes a context, unless it is in use, or was used just before; then a later run
// removes it.
func (s *Store) expire(ctx context.Context, name string) (gone bool, err error) {
	home := s.backend
	unlock, _, err := s.open(name).Lock(ctx, parts.NoPatience)
	var inUse *LockedError
	if errors.As(err, &inUse) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer unlock()
	e, err := home.Entry(ctx, name)
	if err != nil || e == nil || e.IsDue(s.Now(), home.LastUse) == "" {
		return false, err
	}
	if err := home.Remove(name); err != nil {
		return false, fmt.Errorf("deleting context %q: %w", name, err)
	}
	return true, nil
}
