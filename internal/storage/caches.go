package storage

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
)

// Limits are those of a configuration for cached outputs.
type Limits struct {
	MaxAge   time.Duration
	MaxBytes int64
	// Cleans says that runs remove what is beyond them.
	Cleans bool
}

// of are the limits for the cache of a conversation. What its window still names is kept.
func (l Limits) of(ctx context.Context, c *contexts.Context, minAge time.Duration) cache.Limits {
	return cache.Limits{MaxAge: l.MaxAge, MaxBytes: l.MaxBytes, MinAge: minAge, Keep: namedIn(ctx, c)}
}

// Caches are the caches of tool outputs of a home's contexts, with the limits of a
// configuration.
type Caches struct {
	*Contents
	Limits Limits
}

// Clean removes what is beyond the limits in the caches of all contexts, unless it is
// younger than minAge.
func (c Caches) Clean(ctx context.Context, minAge time.Duration) (removed int, err error) {
	names, err := c.Store.Names(ctx)
	for _, name := range names {
		if err != nil {
			break
		}
		var n int
		n, err = c.clean(ctx, name, minAge)
		removed += n
	}
	return removed, err
}

// clean removes what is beyond the limits in the cache of one context. What its
// conversation's window still names is kept.
func (c Caches) clean(ctx context.Context, name string, minAge time.Duration) (removed int, err error) {
	conversation, err := c.Store.Context(name)
	if err != nil {
		return 0, err
	}
	return c.Cache(name).Clean(ctx, c.Limits.of(ctx, conversation, minAge))
}

// tidyAll removes what killed runs have left in all contexts, in a shared store also outputs that
// belong to none, and cleans the caches if that is configured.
func (c Caches) tidyAll(ctx context.Context) (removed int, err error) {
	names, err := c.Store.Names(ctx)
	if err == nil {
		c.Host.Tidy(names...)
		err = c.Store.Housekeep(ctx)
	}
	if err == nil && c.Engine != nil {
		_, _, err = c.sharing.removeLeft(ctx, c.Engine)
	}
	if err != nil || !c.Limits.Cleans {
		return 0, err
	}
	return c.Clean(ctx, youngEntry)
}

// namedIn returns a function that reports whether the window of a context names an
// entry. If the window cannot be read, every entry counts as named. The window is read
// at the first call.
func namedIn(ctx context.Context, c *contexts.Context) func(id string) bool {
	window := sync.OnceValues(func() ([]byte, error) {
		entries, err := c.Window(ctx)
		if err != nil {
			return nil, err
		}
		return json.Marshal(entries)
	})
	return func(id string) bool {
		text, err := window()
		return err != nil || bytes.Contains(text, []byte(id))
	}
}

// youngEntry is the age below which an entry is kept at the end of a run: another
// process may be about to store its stub in the conversation.
const youngEntry = 10 * time.Minute

// Run is a run that ends.
type Run struct {
	// Context is its context, IsTransient says that it does not become the current one.
	Context     string
	IsTransient bool
	// Expire removes expired contexts.
	Expire func() error
}

// Cleanup cleans caches at the end of a run of a context, if that is configured: that of the
// context and, once a day, those of all contexts. With a transient context it cleans only that
// of the context. In a store that machines share, one of them does it once a day for all, and
// removes expired contexts.
func (c Caches) Cleanup(ctx context.Context, run Run) (removed int, err error) {
	all := false
	if !run.IsTransient {
		if all, err = c.Daily(ctx); err != nil {
			return 0, err
		}
	}
	switch {
	case all:
		if c.IsShared() {
			if err := run.Expire(); err != nil {
				return 0, err
			}
		}
		return c.tidyAll(ctx)
	case c.Limits.Cleans && !c.IsShared():
		return c.clean(ctx, run.Context, youngEntry)
	}
	return 0, nil
}
