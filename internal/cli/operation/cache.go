package operation

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
)

// CacheRows are the operations that remove large tool outputs.
func CacheRows() []Row {
	clearCommand := &cmdline.Command{Names: []string{"clear_cache"}, Data: "`context`"}
	return []Row{
		{&cmdline.Flag{Name: "clear-cache", About: "remove the large tool outputs of the current context",
			Command: clearCommand},
			Operation{Role: Joins, Phase: PhaseCache, Run: onCurrent(noWord(ClearCache))}},
		{&cmdline.Flag{Name: "clear-cache-for", Command: clearCommand,
			Takes: []cmdline.Value{{Word: "NAME", Kind: cmdline.Context, Member: "name"}}},
			Operation{Role: Joins, Phase: PhaseCache, Run: onNamed(noWord(ClearCache))}},
		{&cmdline.Flag{Name: "cleanup-cache", Command: &cmdline.Command{Names: []string{"cleanup_cache"},
			Data: "`removed`, `max_age_days`"},
			About: "remove old tool outputs in all contexts, as a run does once a day"},
			Operation{Role: Joins, Phase: PhaseCache, Run: cleanupCache}},
	}
}

// ClearCache removes all outputs of a context.
func ClearCache(_ context.Context, run Run, name string) error {
	if err := app.CachesOf(run.Session).Cache(name).Clear(); err != nil {
		return err
	}
	return run.Env.Out.Answer("clear_cache", command.Fields{"context": name},
		fmt.Sprintf("Cleared tool cache for context '%s'", name))
}

// cleanupCache removes old outputs in all contexts, and says how many.
func cleanupCache(ctx context.Context, run Run, _ cmdline.Given) error {
	removed, err := app.CachesOf(run.Session).Clean(ctx, 0)
	if err != nil {
		return err
	}
	days := run.Session.Config.ToolCacheMaxAgeDays
	return run.Env.Out.Answer("cleanup_cache", command.Fields{"removed": removed, "max_age_days": days},
		fmt.Sprintf("Removed %d old cache entries (older than %d days)", removed, days))
}
