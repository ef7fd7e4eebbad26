package contexts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
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

// Info describes a context in a list.
type Info struct {
	Name string
	// Current is true for the context of runs that do not name one.
	Current bool
	// Locked is true while a process uses the context.
	Locked bool
	// Created and LastActivity are when it was created and last used; zero if that
	// is unknown.
	Created, LastActivity time.Time
	// Mail is true while messages wait in its inbox, or a run answers some.
	Mail bool
	// FailedMail is how many messages runs took and did not answer, because they died.
	FailedMail int
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

// List describes the contexts by name: the existing ones, and the current one.
func (s *Store) List(ctx context.Context) ([]Info, error) {
	state, err := s.backend.State(ctx)
	if err != nil {
		return nil, err
	}
	names := state.Names()
	if !state.Lists {
		if names, err = s.backend.Names(ctx); err != nil {
			return nil, err
		}
	}
	if !slices.Contains(names, state.Current) {
		names = append(names, state.Current)
		slices.Sort(names)
	}
	inUse, hasMail, err := s.Activity(ctx, names)
	if err != nil {
		return nil, err
	}
	known := map[string]*registry.Context{}
	for i := range state.Contexts {
		known[state.Contexts[i].Name] = &state.Contexts[i]
	}
	var list []Info
	for _, name := range names {
		list = append(list, info(known[name], Info{Name: name, Current: name == state.Current, Locked: inUse[name],
			Mail: hasMail[name]}))
	}
	return list, nil
}

// Info describes one context, which need not exist.
func (s *Store) Info(ctx context.Context, name string) (Info, error) {
	state, err := s.backend.Current(ctx)
	if err != nil {
		return Info{}, err
	}
	known, err := s.backend.Entry(ctx, name)
	if err != nil {
		return Info{}, err
	}
	_, inUse := s.Holder(ctx, name)
	return info(known, Info{Name: name, Current: name == state.Current, Locked: inUse, Mail: s.HasMail(ctx, name)}), nil
}

// info completes the description of a context, which may have no entry.
func info(e *registry.Context, info Info) Info {
	if e != nil {
		info.Created, info.LastActivity, info.FailedMail = unix(e.CreatedAt), unix(e.LastActivityAt), e.FailedMail
	}
	return info
}

func unix(seconds int64) time.Time {
	if seconds <= 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// Activity returns which contexts are in use, and which have mail. A backend that cannot ask for
// all at once is asked for each.
func (s *Store) Activity(ctx context.Context, names []string) (inUse, hasMail map[string]bool, err error) {
	if b, ok := s.backend.(parts.Sharing); ok {
		return b.Activity(ctx, names)
	}
	inUse, hasMail = map[string]bool{}, map[string]bool{}
	for _, name := range names {
		_, inUse[name] = s.Holder(ctx, name)
		hasMail[name] = s.HasMail(ctx, name)
	}
	return inUse, hasMail, ctx.Err()
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
