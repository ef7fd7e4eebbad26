package contexts

import (
	"context"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
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
// when the context is renamed: 32 hexadecimal digits. It is "" in other stores and without such a
// context.
func (m maintenance) ID(ctx context.Context, name string) (string, error) {
	if err := ValidName(name); err != nil {
		return "", err
	}
	if shared, ok := m.store.backend.(parts.Sharing); ok {
		return shared.ID(ctx, name)
	}
	return "", nil
}

// AgesAt returns the time by which ages are counted: the time of a store that many machines share,
// and of this machine for others. The error is a *[store.ClockError] if this machine's clock is so far
// from the store's that it may remove nothing that is old.
func (m maintenance) AgesAt(ctx context.Context) (time.Time, error) {
	if shared, ok := m.store.backend.(parts.Sharing); ok {
		return shared.AgesAt(ctx)
	}
	return m.store.Now(), nil
}

// Daily reports whether a day has passed since it last returned true, on any machine that
// uses the store, or since [Store.Tidied] was called. It limits work that reads every context.
// after is where the work of the last time ended, a place of [Store.Visit]; "" if it was done.
func (m maintenance) Daily(ctx context.Context) (isDue bool, after string, err error) {
	return m.store.backend.Daily(ctx)
}

// Tidied notes that the daily work was done now, up to a place of [Store.Visit]; "": all of it.
func (m maintenance) Tidied(ctx context.Context, upTo string) error {
	if err := m.store.backend.Tidied(ctx, upTo); err != nil {
		return fmt.Errorf("noting what was tidied: %w", err)
	}
	return nil
}

// Housekeep finishes what was interrupted, such as deletions, and registers contexts that
// are not. It reads the list of all contexts; see Daily.
func (m maintenance) Housekeep(ctx context.Context) error {
	if err := m.store.backend.Housekeep(ctx); err != nil {
		return fmt.Errorf("housekeeping: %w", err)
	}
	return nil
}
