package homes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
	"github.com/chibi-host/chibi/store"
	"golang.org/x/sync/errgroup"
)

// The keys of documents begin with what they hold.
const (
	prefixName   = "name."
	prefixText   = "text."
	prefixMail   = "mail."
	prefixFailed = "failed."
	prefixOut    = "out."
	prefixTrash  = "trash."
	prefixAside  = "aside."
)

// sharedNames is the list of contexts.
type sharedNames struct{ *sharedHome }

func (h sharedNames) Exists(ctx context.Context, name string) bool {
	n, err := h.docs.lookup(ctx, name)
	return err != nil || n.ID != ""
}

func (h sharedNames) Names(ctx context.Context) ([]string, error) {
	list, err := h.docs.list(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing contexts: %w", err)
	}
	var names []string
	for _, n := range list {
		names = append(names, n.Name)
	}
	return names, nil
}

// Create does not look again for a context that this process has just seen.
func (h sharedNames) Create(ctx context.Context, name string) (isNew bool, err error) {
	if n := h.docs.recall(name); n.Name == name && time.Since(n.at) < freshName {
		return false, nil
	}
	_, isNew, err = h.docs.make(ctx, name)
	return isNew, err
}

// ID returns the id of a context, as Create does without asking again.
func (h sharedNames) ID(ctx context.Context, name string) (string, error) {
	if n := h.docs.recall(name); n.Name == name && time.Since(n.at) < freshName {
		return n.ID, nil
	}
	n, err := h.docs.lookup(ctx, name)
	return n.ID, err
}

// LastUse returns when the newest record of a context was stored, by the store's clock.
func (h sharedNames) LastUse(ctx context.Context, name string) (last time.Time) {
	n, err := h.docs.lookup(ctx, name)
	if err == nil && n.ID != "" {
		err = h.engine.Log.Read(ctx, n.ID, store.Range{Backward: true}, func(r store.Record) bool {
			last = r.Time
			return false
		})
	}
	if d, isDamaged := errors.AsType[*store.DamageError](err); isDamaged {
		return d.Time
	}
	if err != nil {
		return h.settings.Now() // it stays until that is known
	}
	return last
}

// First finds the first names by the keys of their documents.
func (h sharedNames) First(ctx context.Context, n int) ([]registry.Context, error) {
	return statesOf(h.docs.first(ctx, n))
}

// Newest finds the names that were used last.
func (h sharedNames) Newest(ctx context.Context, n int) ([]registry.Context, error) {
	return statesOf(h.docs.newest(ctx, n))
}

// statesOf returns what a registry says of names.
func statesOf(list []named, err error) (states []registry.Context, _ error) {
	if err != nil {
		return nil, fmt.Errorf("listing contexts: %w", err)
	}
	for _, n := range list {
		states = append(states, n.state())
	}
	return states, nil
}

// Activity asks once for all contexts, or for each.
func (h sharedNames) Activity(ctx context.Context, names []string, all bool) (parts.Activity, error) {
	ids := map[string]string{}
	for _, name := range names {
		if n := h.docs.recall(name); n.ID != "" {
			ids[n.ID] = name
		}
	}
	if all {
		return h.activityOfAll(ctx, ids)
	}
	a := parts.Activity{Holders: map[string]parts.Holder{}, HasMail: map[string]bool{}}
	var mu sync.Mutex
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(maxAsked)
	for id, name := range ids {
		asking.Go(func() error {
			held, err := h.engine.Leases.Holder(ctx, id)
			if err != nil {
				return err
			}
			hasMail, err := h.hasMail(ctx, id)
			mu.Lock()
			defer mu.Unlock()
			a.HasMail[name] = hasMail
			if held != nil {
				a.Holders[name] = holderOf(held.Holder)
			}
			return err
		})
	}
	return a, asking.Wait()
}

func (h sharedNames) activityOfAll(ctx context.Context, ids map[string]string) (parts.Activity, error) {
	a := parts.Activity{Holders: map[string]parts.Holder{}, HasMail: map[string]bool{}}
	err := h.engine.Leases.Held(ctx, "", func(key string, held store.HeldError) bool {
		a.Holders[ids[key]] = holderOf(held.Holder)
		return true
	})
	if err != nil {
		return a, err
	}
	err = h.engine.Docs.List(ctx, prefixMail, func(d store.Doc) bool {
		id, _, _ := strings.Cut(strings.TrimPrefix(d.Key, prefixMail), ".")
		a.HasMail[ids[id]] = true
		return true
	})
	return a, err
}
