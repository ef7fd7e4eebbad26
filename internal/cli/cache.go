package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"
)

// cacheOperations remove large tool outputs.
func cacheOperations() []row {
	clearCommand := &cmdline.Command{Names: []string{"clear_cache"}, Data: "`context`"}
	return []row{
		{&cmdline.Flag{Name: "clear-cache", About: "remove the large tool outputs of the current context",
			Command: clearCommand},
			operation{role: joins, phase: phaseCache, run: onCurrent(noWord(clearCache))}},
		{&cmdline.Flag{Name: "clear-cache-for", Command: clearCommand,
			Takes: []cmdline.Value{{Word: "NAME", Kind: cmdline.Context, Member: "name"}}},
			operation{role: joins, phase: phaseCache, run: onNamed(noWord(clearCache))}},
		{&cmdline.Flag{Name: "cleanup-cache", Command: &cmdline.Command{Names: []string{"cleanup_cache"},
			Data: "`removed`, `max_age_days`"},
			About: "remove old ones in all contexts, as happens at the end of every run"},
			operation{role: joins, phase: phaseCache, run: cleanupCache}},
	}
}

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
					name := s.Name()
					if len(args) > 0 {
						var err error
						if name, err = app.Existing(ctx, s.Session, args[0]); err != nil {
							return err
						}
					}
					return clearCache(ctx, s, name)
				})
			}),
	}
}

func (s *session) listCache(asJSON bool) error {
	list, err := s.Cache().List()
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
		s.notice("no tool output is cached in context \"" + s.Name() + "\"")
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
	output, err := s.Cache().Open(id)
	if err != nil {
		return fmt.Errorf("%w in context %q; chibi cache list names them", err, s.Name())
	}
	defer output.Close()
	return s.answerLarge("", nil, output.Content())
}

// clearCache removes all outputs of a context.
func clearCache(_ context.Context, s *session, name string) error {
	if err := app.CacheOf(s.Session, name).Clear(); err != nil {
		return err
	}
	return s.answer("clear_cache", fields{"context": name}, fmt.Sprintf("Cleared tool cache for context '%s'", name))
}

// cleanupCache removes old outputs in all contexts, and says how many.
func cleanupCache(ctx context.Context, s *session, _ cmdline.Given) error {
	removed, err := app.CleanCaches(ctx, s.Session, 0)
	if err != nil {
		return err
	}
	days := s.Config.ToolCacheMaxAgeDays
	return s.answer("cleanup_cache", fields{"removed": removed, "max_age_days": days},
		fmt.Sprintf("Removed %d old cache entries (older than %d days)", removed, days))
}
