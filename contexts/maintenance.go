package contexts

import (
	"context"
	"fmt"
	"time"

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
func (m maintenance) IsShared() bool { return m.store.backend.IsShared() }

// ID returns the id of a context in a store that many machines share, which stays the same
// when the context is renamed: 32 hexadecimal digits. It is "" in other stores and if there
// is no such context.
func (m maintenance) ID(ctx context.Context, name string) (string, error) {
	if err := ValidName(name); err != nil {
		return "", err
	}
	return m.store.backend.ID(ctx, name)
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

// State returns the current and the previous context.
func (s *Store) State(ctx context.Context) (State, error) {
	return s.backend.Current(ctx)
}

// Switch makes a context the current one, and the one before it the previous one.
func (s *Store) Switch(name string) (from string, err error) {
	if err := ValidName(name); err != nil {
		return "", err
	}
	if err := s.backend.Create(name); err != nil {
		return "", fmt.Errorf("making context %q: %w", name, err)
	}
	if state, err := s.backend.Current(context.Background()); err == nil && state.Current == name {
		return name, s.backend.Touch(name)
	}
	return s.backend.Enter(name)
}

// Touch records that a context was used now.
func (s *Store) Touch(name string) error { return s.backend.Touch(name) }

// SetDestroyRule changes when a context is to be removed. A nil argument
// changes nothing.
func (s *Store) SetDestroyRule(name string, at *time.Time, afterInactive *time.Duration) error {
	if err := ValidName(name); err != nil {
		return err
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
