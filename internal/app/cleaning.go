package app

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
)

// CleanCaches removes what is beyond the limits of the configuration in the caches of
// all contexts, unless it is younger than minAge.
func CleanCaches(ctx context.Context, s *Session, minAge time.Duration) (removed int, err error) {
	names, err := s.Store.Names(ctx)
	for _, name := range names {
		if err != nil {
			break
		}
		var n int
		n, err = cleanCache(ctx, s, name, minAge)
		removed += n
	}
	return removed, err
}

// cleanCache removes what is beyond the limits of the configuration in a
// context's cache. What its conversation's window still names is kept.
func cleanCache(ctx context.Context, s *Session, name string, minAge time.Duration) (removed int, err error) {
	c, err := s.Store.Context(name)
	if err != nil {
		return 0, err
	}
	return CacheOf(s, name).Clean(cache.Limits{
		MaxAge:   time.Duration(s.Config.ToolCacheMaxAgeDays) * 24 * time.Hour,
		MaxBytes: int64(s.Config.ToolCacheMaxBytes), MinAge: minAge, Keep: namedIn(ctx, c),
	})
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
// of the context. A failure is reported and does not fail the run.
func Cleanup(ctx context.Context, s *Session) {
	all, err := false, error(nil)
	if !s.opts.Transient {
		all, err = s.Store.Daily()
	}
	removed := 0
	switch {
	case err != nil:
	case all:
		removed, err = tidyAll(ctx, s)
	case s.Config.AutoCleanupCache:
		removed, err = cleanCache(ctx, s, s.Name(), youngEntry)
	}
	if err != nil {
		s.person.notice("cleaning up: " + err.Error())
	}
	if removed > 0 {
		s.person.detail("auto-cleanup: removed %d old cache entries (older than %d days)", removed,
			s.Config.ToolCacheMaxAgeDays)
	}
}

// tidyAll removes what killed runs have left in all contexts, and cleans their
// caches if that is configured.
func tidyAll(ctx context.Context, s *Session) (removed int, err error) {
	names, err := s.Store.Names(ctx)
	if err == nil {
		err = s.Store.Tidy(names...)
	}
	if err != nil || !s.Config.AutoCleanupCache {
		return 0, err
	}
	return CleanCaches(ctx, s, youngEntry)
}
