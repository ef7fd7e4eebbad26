package app

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/store"
)

// Caches are the caches of tool outputs of a home's contexts, with the limits of a
// configuration.
type Caches struct {
	store   *contexts.Store
	host    contexts.Host
	engine  *store.Engine // nil: files
	config  config.Config
	sharing Sharing
}

// CachesOf returns the caches of the session's home.
func CachesOf(s *Session) Caches {
	return Caches{s.Store, s.Host, s.engine, s.Config, s.opts.Store.Sharing}
}

// Of returns the cache of a context.
func (c Caches) Of(name string) cache.Cache {
	return c.sharing.cacheOf(c.engine, c.store, c.host, name)
}

// Clean removes what is beyond the limits in the caches of all contexts, unless it is
// younger than minAge.
func (c Caches) Clean(ctx context.Context, minAge time.Duration) (removed int, err error) {
	names, err := c.store.Names(ctx)
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
	conversation, err := c.store.Context(name)
	if err != nil {
		return 0, err
	}
	return c.Of(name).Clean(cacheLimits(ctx, c.config, conversation, minAge))
}

// cacheLimits are the limits of a configuration for the cache of a conversation.
func cacheLimits(ctx context.Context, set config.Config, c contexts.Conversation, minAge time.Duration) cache.Limits {
	return cache.Limits{
		MaxAge:   time.Duration(set.ToolCacheMaxAgeDays) * 24 * time.Hour,
		MaxBytes: int64(set.ToolCacheMaxBytes), MinAge: minAge, Keep: namedIn(ctx, c),
	}
}

// tidyAll removes what killed runs have left in all contexts, in a shared store also outputs that
// belong to none, and cleans the caches if that is configured.
func (c Caches) tidyAll(ctx context.Context) (removed int, err error) {
	names, err := c.store.Names(ctx)
	if err == nil {
		c.host.Tidy(names...)
		err = c.store.Housekeep(ctx)
	}
	if err == nil && c.engine != nil {
		_, _, err = c.sharing.removeLeft(ctx, c.engine)
	}
	if err != nil || !c.config.AutoCleanupCache {
		return 0, err
	}
	return c.Clean(ctx, youngEntry)
}

// namedIn returns a function that reports whether the window of a context names an
// entry. If the window cannot be read, every entry counts as named. The window is read
// at the first call.
func namedIn(ctx context.Context, c contexts.Conversation) func(id string) bool {
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

// Cleanup cleans caches at the end of a run, if that is configured: that of the context
// and, once a day, those of all contexts. With a transient context it cleans only that
// of the context. In a store that machines share, one of them does it once a day for all, and
// removes expired contexts. A failure is reported and does not fail the run.
func Cleanup(ctx context.Context, s *Session) {
	caches, all, err := CachesOf(s), false, error(nil)
	if !s.opts.Transient {
		all, err = s.Store.Daily(ctx)
	}
	removed := 0
	switch {
	case err != nil:
	case all:
		if s.Store.IsShared() {
			err = expireNow(ctx, s)
		}
		if err == nil {
			removed, err = caches.tidyAll(ctx)
		}
	case s.Config.AutoCleanupCache && !s.Store.IsShared():
		removed, err = caches.clean(ctx, s.Name(), youngEntry)
	}
	if err != nil {
		s.person.notice("cleaning up: " + err.Error())
	}
	if removed > 0 {
		s.person.detail("auto-cleanup: removed %d old cache entries (older than %d days)", removed,
			s.Config.ToolCacheMaxAgeDays)
	}
}
