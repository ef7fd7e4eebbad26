package cli

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"
)

// cacheCommands are the commands about large tool outputs.
func (p *program) cacheCommands(ctx context.Context) []*cli.Command {
	var asJSON bool
	return []*cli.Command{
		leaf(ctx, "list", "", "list the large tool outputs of the current context, the newest first",
			func(ctx context.Context, _ []string) error {
				return p.within(ctx, func(s *session) error { return s.listCache(asJSON) })
			}, jsonFlag(&asJSON)),
		leaf(ctx, "show", "ID", "print a large tool output, as the tool wrote it",
			func(ctx context.Context, args []string) error {
				return p.within(ctx, func(s *session) error { return s.showCached(args[0]) })
			}),
		leaf(ctx, "clear", "[NAME]", "remove the large tool outputs of a context",
			func(ctx context.Context, args []string) error {
				return p.within(ctx, func(s *session) error {
					name := s.agent.Context.Name()
					if len(args) > 0 {
						var err error
						if name, err = s.existing(args[0]); err != nil {
							return err
						}
					}
					return s.clearCache(ctx, name)
				})
			}),
	}
}

func (s *session) listCache(asJSON bool) error {
	list, err := s.cache().List()
	if err != nil {
		return err
	}
	if asJSON {
		if list == nil {
			list = []cache.Entry{}
		}
		return s.printJSON(list)
	}
	if len(list) == 0 {
		s.notice("no tool output is cached in context \"" + s.agent.Context.Name() + "\"")
		return nil
	}
	var lines []string
	for _, e := range list {
		lines = append(lines, fmt.Sprintf("%s  %s, %s lines, %s", e.ID, humanize.Bytes(uint64(e.Bytes)),
			humanize.Comma(int64(e.Lines)), humanize.Time(e.Time())))
	}
	return s.say("%s", strings.Join(lines, "\n"))
}

// showCached prints an output. Control characters are replaced on a terminal.
func (s *session) showCached(id string) error {
	output, err := s.cache().Open(id)
	if err != nil {
		return fmt.Errorf("%w in context %q; chibi cache list names them", err, s.agent.Context.Name())
	}
	defer output.Close()
	return s.answerLarge("", nil, output.Content())
}

// clearCache removes all outputs of a context.
func (s *session) clearCache(_ context.Context, name string) error {
	c, err := s.store.Context(name)
	if err != nil {
		return usageError{err}
	}
	if err := cache.Open(c.CacheFolder()).Clear(); err != nil {
		return err
	}
	return s.answer("clear_cache", fields{"context": name}, fmt.Sprintf("Cleared tool cache for context '%s'", name))
}

// cleanupCache removes old outputs in all contexts, and says how many.
func (s *session) cleanupCache(context.Context) error {
	removed, err := s.cleanAllCaches(0)
	if err != nil {
		return err
	}
	days := s.config.ToolCacheMaxAgeDays
	return s.answer("cleanup_cache", fields{"removed": removed, "max_age_days": days},
		fmt.Sprintf("Removed %d old cache entries (older than %d days)", removed, days))
}

// cleanAllCaches cleans the caches of all contexts.
func (s *session) cleanAllCaches(minAge time.Duration) (removed int, err error) {
	names, err := s.store.Names()
	for _, name := range names {
		if err != nil {
			break
		}
		var n int
		n, err = s.cleanCache(name, minAge)
		removed += n
	}
	return removed, err
}

// cleanCache removes what is beyond the limits of the configuration in a
// context's cache. What its conversation's window still names is kept.
func (s *session) cleanCache(name string, minAge time.Duration) (removed int, err error) {
	c, err := s.store.Context(name)
	if err != nil {
		return 0, err
	}
	return cache.Open(c.CacheFolder()).Clean(cache.Limits{
		MaxAge:   time.Duration(s.config.ToolCacheMaxAgeDays) * 24 * time.Hour,
		MaxBytes: int64(s.config.ToolCacheMaxBytes), MinAge: minAge, Keep: namedIn(filepath.Dir(c.CacheFolder())),
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

// endCleanup cleans caches at the end of a run, if that is configured: that of its
// context, and once a day all of them, but with -C, which changes nothing else. Its
// failure is said and does not fail the run.
func (s *session) endCleanup() {
	all, err := false, error(nil)
	if s.opts.transient == nil {
		all, err = s.store.Daily()
	}
	removed := 0
	switch {
	case err != nil:
	case all:
		removed, err = s.tidyAll()
	case s.config.AutoCleanupCache:
		removed, err = s.cleanCache(s.agent.Context.Name(), youngEntry)
	}
	if err != nil {
		s.notice("cleaning up: " + err.Error())
	}
	if removed > 0 {
		s.detail("auto-cleanup: removed %d old cache entries (older than %d days)", removed, s.config.ToolCacheMaxAgeDays)
	}
}

// tidyAll removes what killed runs have left in all contexts, and cleans their
// caches if that is configured.
func (s *session) tidyAll() (removed int, err error) {
	names, err := s.store.Names()
	if err == nil {
		err = s.store.Tidy(names...)
	}
	if err != nil || !s.config.AutoCleanupCache {
		return 0, err
	}
	return s.cleanAllCaches(youngEntry)
}
