// Package storage opens what a home keeps: its contexts and their cached outputs, in files or in
// a store that machines share, and cleans them up.
//
// It promises that an error never shows a secret that opens a store, and that an output that a window of
// a conversation names is not removed.
package storage

import (
	"context"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/store"
)

// Sharing is what a program has for stores that machines share. The zero value is for a program
// that keeps files only: none of the code for such stores is linked into it, because
// only [Share] names that code.
type Sharing struct {
	drivers  store.Drivers
	contexts func(e *store.Engine, home string) *contexts.Store
	outputs  func(e *store.Engine, id func(context.Context) (string, error), dir string) cache.Cache
	// removeLeft removes outputs that belong to no context.
	removeLeft func(context.Context, *store.Engine) (removed int, bytes int64, err error)
}

// Share returns what a program needs to reach stores by drivers.
func Share(drivers store.Drivers) Sharing {
	return Sharing{drivers, contexts.OpenShared,
		func(e *store.Engine, id func(context.Context) (string, error), dir string) cache.Cache {
			return cache.OpenShared(e, id, dir)
		}, cache.RemoveLeft}
}

// open opens the contexts of a store; e is nil for the files of the home.
func (s Sharing) open(e *store.Engine, home string) (*contexts.Store, contexts.Host, error) {
	if e != nil {
		return s.contexts(e, home), contexts.HostOf(home), nil
	}
	files, err := contexts.Open(home)
	if err != nil {
		return nil, contexts.Host{}, err
	}
	return files.Store, files.Host, nil
}

// cacheOf returns the cache of a context of a store, whose local files are in the host's directory;
// e is nil for files.
func (s Sharing) cacheOf(e *store.Engine, c *contexts.Store, host contexts.Host, name string) cache.Cache {
	if e == nil {
		return cache.Open(host.Layout().Cache(name))
	}
	id := func(ctx context.Context) (string, error) { return c.ID(ctx, name) }
	return s.outputs(e, id, host.Layout().SharedCache(name))
}
