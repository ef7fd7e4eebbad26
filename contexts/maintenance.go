package contexts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
)

// maintenance is what a [Store] does for a home as a whole, now and then.
type maintenance struct{ store *Store }

// WatchMail reports that messages have come to a context, which need not exist: the channel
// receives a value after one or several, and is closed when ctx ends. Messages that are
// sent after the call are noticed for certain. A value may also come when nothing has.
func (m maintenance) WatchMail(ctx context.Context, name string) (<-chan struct{}, error) {
	err := ValidName(name)
	if err != nil {
		return nil, err
	}
	arrived, err := m.store.open(name).Inbox.Watch(ctx)
	if err != nil {
		return nil, fmt.Errorf("watching the inbox of context %q: %w", name, err)
	}
	return arrived, nil
}

// Unlock ends the lock of a context, whoever has it, and returns who had it; the zero
// Holder if nobody did. Its holder, if it lives, stores nothing more in the context. Locks
// on files end with their process only: the error names it.
func (m maintenance) Unlock(ctx context.Context, name string) (Holder, error) {
	err := ValidName(name)
	if err != nil {
		return Holder{}, err
	}
	h, inUse := m.store.Holder(ctx, name)
	if inUse {
		err = m.store.backend.End(ctx, name)
	}
	if err != nil {
		return h, fmt.Errorf("unlocking context %q: %w", name, err)
	}
	return h, nil
}

// IsShared reports whether many machines can use the store at once.
func (m maintenance) IsShared() bool {
	_, isShared := m.store.backend.(parts.Sharing)
	return isShared
}

// ID returns the id of a context in a store that many machines share, which stays the same
// when the context is renamed: 32 hexadecimal digits. It is "" in other stores and if there
// is no such context.
func (m maintenance) ID(ctx context.Context, name string) (string, error) {
	if err := ValidName(name); err != nil {
		return "", err
	}
	if shared, ok := m.store.backend.(parts.Sharing); ok {
		return shared.ID(ctx, name)
	}
	return "", nil
}

// AgesAt returns the time by which ages are counted: that of a store that many machines share, and
// of this machine for others. The error is a *[store.ClockError] if this machine's clock is so far
// from the store's that it may remove nothing that is old.
func (m maintenance) AgesAt(ctx context.Context) (time.Time, error) {
	return m.store.backend.AgesAt(ctx)
}

// Daily reports whether a day has passed since it last returned true, on any machine that
// uses the store. It limits work that reads every context.
func (m maintenance) Daily(ctx context.Context) (bool, error) { return m.store.backend.Daily(ctx) }

// Housekeep finishes what was interrupted, such as deletions, and registers contexts that
// are not. It reads the list of all contexts; see Daily.
func (m maintenance) Housekeep(ctx context.Context) error {
	if err := m.store.backend.Housekeep(ctx); err != nil {
		return fmt.Errorf("housekeeping: %w", err)
	}
	return nil
}

// Expired is a context that was removed because it had expired.
type Expired struct {
	Name string
	// Why is the setting that asked for it.
	Why string
}

// Expire removes expired contexts: destroy_at has passed, or nothing happened in them for
// destroy_after_seconds_inactive. The current context, the one named inUse, and those that a
// process uses stay. One that cannot be removed does not keep the others.
func (m maintenance) Expire(ctx context.Context, inUse string) (removed []Expired, err error) {
	s := m.store
	entries, err := s.backend.Expiring(ctx)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	now, err := s.backend.AgesAt(ctx)
	if err != nil {
		return nil, err
	}
	state, err := s.backend.Current(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	var failed error
	for _, e := range entries {
		why := m.due(ctx, e, now)
		if why == "" || e.Name == state.Current || e.Name == inUse || !s.Exists(ctx, e.Name) {
			continue
		}
		gone, err := m.expire(ctx, e.Name, now)
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

// due returns why a context is to be removed, "" if it is not.
func (m maintenance) due(ctx context.Context, e registry.Context, now time.Time) string {
	return e.IsDue(now, func(name string) time.Time { return m.store.backend.LastUse(ctx, name) })
}

// expire removes a context, unless it is in use, or was used just before; then a later run
// removes it.
func (m maintenance) expire(ctx context.Context, name string, now time.Time) (gone bool, err error) {
	home := m.store.backend
	unlock, _, err := m.store.open(name).Lock(ctx, parts.NoPatience)
	var inUse *LockedError
	if errors.As(err, &inUse) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer unlock()
	e, err := home.Entry(ctx, name)
	if err != nil || e == nil || m.due(ctx, *e, now) == "" {
		return false, err
	}
	if err := home.Remove(name); err != nil {
		return false, fmt.Errorf("deleting context %q: %w", name, err)
	}
	return true, nil
}
