package homes

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chibi-host/chibi/store"
)

// The keys of documents begin with what they hold.
const (
	prefixName   = "name."
	prefixText   = "text."
	prefixMail   = "mail."
	prefixFailed = "failed."
	prefixOut    = "out."
	prefixTrash  = "trash."
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

// ID returns the id of a context.
func (h sharedNames) ID(ctx context.Context, name string) (string, error) {
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
	if err != nil {
		return h.settings.Now() // it stays until that is known
	}
	return last
}

// Activity asks once for all contexts.
func (h sharedNames) Activity(ctx context.Context, names []string) (inUse, hasMail map[string]bool, err error) {
	ids := map[string]string{}
	for _, name := range names {
		if n := h.docs.recall(name); n.ID != "" {
			ids[n.ID] = name
		}
	}
	inUse, hasMail = map[string]bool{}, map[string]bool{}
	err = h.engine.Leases.Held(ctx, "", func(key string, _ store.HeldError) bool {
		inUse[ids[key]] = true
		return true
	})
	if err != nil {
		return inUse, hasMail, err
	}
	err = h.engine.Docs.List(ctx, prefixMail, func(d store.Doc) bool {
		id, _, _ := strings.Cut(strings.TrimPrefix(d.Key, prefixMail), ".")
		hasMail[ids[id]] = true
		return true
	})
	return inUse, hasMail, err
}
