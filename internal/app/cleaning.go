package app

import (
	"bytes"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
)

// CleanCaches removes what is beyond the limits of the configuration in the caches of
// all contexts, unless it is younger than minAge.
func CleanCaches(s *Session, minAge time.Duration) (removed int, err error) {
	names, err := s.Store.Names()
	for _, name := range names {
		if err != nil {
			break
		}
		var n int
		n, err = cleanCache(s, name, minAge)
		removed += n
	}
	return removed, err
}

// cleanCache removes what is beyond the limits of the configuration in a
// context's cache. What its conversation's window still names is kept.
func cleanCache(s *Session, name string, minAge time.Duration) (removed int, err error) {
	c, err := s.Store.Context(name)
	if err != nil {
		return 0, err
	}
	return cache.Open(c.CacheFolder()).Clean(cache.Limits{
		MaxAge:   time.Duration(s.Config.ToolCacheMaxAgeDays) * 24 * time.Hour,
		MaxBytes: int64(s.Config.ToolCacheMaxBytes), MinAge: minAge, Keep: namedIn(filepath.Dir(c.CacheFolder())),
	})
}

// namedIn reports whether the window of a context names an entry; if it cannot be
// read, it may.
func namedIn(folder string) func(id string) bool {
	return func(id string) (named bool) {
		_, err := jsonl.Forward(disk.OS{}, filepath.Join(folder, "context.jsonl"), func(_ int, record []byte) bool {
			named = bytes.Contains(record, []byte(id))
			return !named
		})
		return named || err != nil
	}
}

// youngEntry is how old an entry is left alone at the end of a run: its stub may
// be on its way into the conversation of another process.
const youngEntry = 10 * time.Minute

// Cleanup cleans caches at the end of a run, if that is configured: that of its
// context, and once a day all of them, but with a transient context, which changes nothing else. Its
// failure is said and does not fail the run.
func Cleanup(s *Session) {
	all, err := false, error(nil)
	if !s.opts.Transient {
		all, err = s.Store.Daily()
	}
	removed := 0
	switch {
	case err != nil:
	case all:
		removed, err = tidyAll(s)
	case s.Config.AutoCleanupCache:
		removed, err = cleanCache(s, s.Name(), youngEntry)
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
func tidyAll(s *Session) (removed int, err error) {
	names, err := s.Store.Names()
	if err == nil {
		err = s.Store.Tidy(names...)
	}
	if err != nil || !s.Config.AutoCleanupCache {
		return 0, err
	}
	return CleanCaches(s, youngEntry)
}
