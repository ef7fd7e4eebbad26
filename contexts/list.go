package contexts

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
)

// Info describes a context in a list.
type Info struct {
	Name string
	// Current is true for the context of runs that do not name one.
	Current bool
	// Locked is true while a process uses the context, Holder says which.
	Locked bool
	Holder Holder
	// Created and LastActivity are when it was created and last used; zero if that
	// is unknown.
	Created, LastActivity time.Time
	// Mail is true while messages wait in its inbox, or a run answers some.
	Mail bool
	// FailedMail is how many messages runs took and did not answer, because they died.
	FailedMail int
}

// Selection says which contexts are listed.
type Selection struct {
	// Limit is how many contexts are listed at most; 0: all.
	Limit int
	// Newest selects the contexts that were used last, in place of the first by name.
	Newest bool
}

// List describes the contexts by name: the existing ones, and the current one.
func (s *Store) List(ctx context.Context) ([]Info, error) { return s.Select(ctx, Selection{}) }

// Select is like [Store.List], for some of the contexts. They are in the order of that list,
// whichever are selected. In a store that machines share, names that differ only in case are the
// same, so their order does not depend on case.
func (s *Store) Select(ctx context.Context, sel Selection) ([]Info, error) {
	known, current, err := s.known(ctx, sel)
	if err != nil {
		return nil, err
	}
	some := sel.of(known)
	activity, err := s.activity(ctx, some, len(some) == sel.Limit && len(some) <= maxEach)
	if err != nil {
		return nil, err
	}
	var list []Info
	for _, e := range some {
		holder, inUse := activity.Holders[e.Name]
		list = append(list, info(&e, Info{Name: e.Name, Current: e.Name == current, Locked: inUse, Holder: holder,
			Mail: activity.HasMail[e.Name]}))
	}
	return list, nil
}

// known describes the contexts from which some are selected, by name: in a shared store only those that
// may be, as that costs less than all.
func (s *Store) known(ctx context.Context, sel Selection) (list []registry.Context, current string, err error) {
	b, isShared := s.backend.(parts.Sharing)
	order := func(name string) string { return name }
	if isShared {
		order = strings.ToLower
	}
	if isShared && sel.Limit > 0 {
		some := b.First
		if sel.Newest {
			some = b.Newest
		}
		var state registry.State
		if state, err = s.backend.Current(ctx); err == nil {
			list, err = some(ctx, sel.Limit)
		}
		current = state.Current
	} else {
		list, current, err = s.all(ctx)
	}
	byName := func(e registry.Context, name string) int { return strings.Compare(order(e.Name), order(name)) }
	if i, isThere := slices.BinarySearchFunc(list, current, byName); err == nil && !isThere {
		list = slices.Insert(list, i, registry.Context{Name: current})
	}
	return list, current, err
}

// all describes the existing contexts.
func (s *Store) all(ctx context.Context) (list []registry.Context, current string, err error) {
	state, err := s.backend.State(ctx)
	if err != nil {
		return nil, "", err
	}
	if state.Lists {
		return state.Contexts, state.Current, nil
	}
	names, err := s.backend.Names(ctx)
	entries := map[string]registry.Context{}
	for _, e := range state.Contexts {
		entries[e.Name] = e
	}
	for _, name := range names {
		e := entries[name]
		e.Name = name
		list = append(list, e)
	}
	return list, state.Current, err
}

// of selects contexts.
func (sel Selection) of(list []registry.Context) []registry.Context {
	if sel.Limit <= 0 || len(list) <= sel.Limit {
		return list
	}
	if !sel.Newest {
		return list[:sel.Limit]
	}
	used := slices.Clone(list)
	slices.SortStableFunc(used, func(a, b registry.Context) int { return cmp.Compare(b.LastActivityAt, a.LastActivityAt) })
	selected := map[string]bool{}
	for _, e := range used[:sel.Limit] {
		selected[e.Name] = true
	}
	return slices.DeleteFunc(list, func(e registry.Context) bool { return !selected[e.Name] })
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
	holder, inUse := s.Holder(ctx, name)
	return info(known, Info{Name: name, Current: name == state.Current, Locked: inUse, Holder: holder,
		Mail: s.HasMail(ctx, name)}), nil
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

// maxEach is how many contexts are asked for one by one, where that costs less than a list of what
// happens in all that there are.
const maxEach = 100

// activity returns what happens in contexts. A backend that cannot ask for all at once is asked
// for each.
func (s *Store) activity(ctx context.Context, list []registry.Context, arePart bool) (parts.Activity, error) {
	names := make([]string, 0, len(list))
	for _, e := range list {
		names = append(names, e.Name)
	}
	if b, ok := s.backend.(parts.Sharing); ok {
		return b.Activity(ctx, names, !arePart)
	}
	a := parts.Activity{Holders: map[string]Holder{}, HasMail: map[string]bool{}}
	for _, name := range names {
		if h, inUse := s.Holder(ctx, name); inUse {
			a.Holders[name] = h
		}
		a.HasMail[name] = s.HasMail(ctx, name)
	}
	return a, ctx.Err()
}
