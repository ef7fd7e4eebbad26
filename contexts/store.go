package contexts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
)

// Store holds the contexts of a home, wherever they are kept. Package contexts/contexttest
// tests what it promises.
type Store struct {
	Settings
	maintenance
	backend parts.Backend
}

// newStore makes a store; keep returns where it keeps its contexts.
func newStore(now func() time.Time, keep func(*Settings) parts.Backend) *Store {
	s := &Store{Settings: Settings{Now: now}}
	s.maintenance.store, s.backend = s, keep(&s.Settings)
	return s
}

// Context opens a context, which need not exist. It writes nothing.
func (s *Store) Context(name string) (*Context, error) {
	if err := ValidName(name); err != nil {
		return nil, err
	}
	return s.handle(name), nil
}

func (s *Store) open(name string) parts.Keeper {
	return s.backend.Parts(&parts.Ref{Settings: &s.Settings, Name: name})
}

// Exists reports whether there is such a context. If that is unknown the result is
// true, and operations on the context fail with the reason.
func (s *Store) Exists(ctx context.Context, name string) bool {
	return ValidName(name) == nil && s.backend.Exists(ctx, name)
}

// Names lists the existing contexts.
func (s *Store) Names(ctx context.Context) ([]string, error) { return s.backend.Names(ctx) }

// HasMail reports whether a context's inbox has any messages.
func (s *Store) HasMail(ctx context.Context, name string) bool {
	return s.open(name).Inbox.HasMail(ctx)
}

// Holder returns which process uses a context, if one does.
func (s *Store) Holder(ctx context.Context, name string) (h Holder, inUse bool) {
	return s.backend.Holder(ctx, name)
}

// New makes a context that nobody else gets, whatever runs start at the same time, and returns
// its name: the local date and time, after the prefix if there is one, with a number if that name
// is taken.
func (s *Store) New(ctx context.Context, prefix string) (name string, err error) {
	at := s.Now()
	for i := 1; ; i++ {
		name = newName(prefix, at, i)
		if err := ValidName(name); err != nil {
			return "", err
		}
		isNew, err := s.backend.Create(ctx, name)
		if isNew || err != nil && !errors.Is(err, ErrExists) {
			return name, err
		}
	}
}

// NewName returns the name that [Store.New] would choose. It makes nothing, so another run may
// take the name.
func (s *Store) NewName(ctx context.Context, prefix string) (name string, err error) {
	taken, err := s.Names(ctx)
	at := s.Now()
	name = newName(prefix, at, 1)
	for i := 2; slices.Contains(taken, name); i++ {
		name = newName(prefix, at, i)
	}
	return name, cmp.Or(err, ValidName(name))
}

// newName returns the nth name for a new context that is made at a time.
func newName(prefix string, at time.Time, n int) string {
	name := at.Format("20060102_150405")
	if prefix != "" {
		name = prefix + "_" + name
	}
	if n > 1 {
		name += fmt.Sprintf("_%d", n)
	}
	return name
}
