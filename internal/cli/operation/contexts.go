package operation

import (
	"context"
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/output"
)

// ContextRows are the operations that change contexts as a whole.
func ContextRows() []Row {
	name := []cmdline.Value{{Word: "NAME", Kind: cmdline.Context, Member: "name"}}
	renamed := cmdline.Value{Word: "NEW", Kind: cmdline.Text, Member: "new"}
	archiveCommand := &cmdline.Command{Names: []string{"archive_history", "archive_context"}, Data: "`context`"}
	compactCommand := &cmdline.Command{Names: []string{"compact_context"},
		Data: "`context`, `compacted`: `false` if there was nothing to compact"}
	renameCommand := &cmdline.Command{Names: []string{"rename_context"}, Data: "`from`, `to`"}
	destroyCommand := &cmdline.Command{Names: []string{"destroy_context", "delete_context"},
		Data: "`context`, `destroyed`"}
	return []Row{
		{&cmdline.Flag{Name: "archive-current-history", Letters: "a", Aliases: []string{"archive-current-context"},
			About:   "empty the context; the transcript keeps everything",
			Command: archiveCommand},
			Operation{Role: Joins, Phase: PhaseArchive, Run: onCurrent(noWord(Archive))}},
		{&cmdline.Flag{Name: "archive-history", Letters: "A", Aliases: []string{"archive-context"}, Takes: name,
			Command: archiveCommand},
			Operation{Role: Shows, Phase: PhaseArchive, Run: onNamed(noWord(Archive))}},
		{&cmdline.Flag{Name: "compact-current-context", Letters: "z",
			About: "replace the conversation with a summary that the model writes", Command: compactCommand},
			Operation{Role: Joins, Phase: PhaseCompact, Needs: NeedsModel, Run: onCurrent(noWord(CompactCurrent))}},
		{&cmdline.Flag{Name: "compact-context", Letters: "Z", Takes: name, Command: compactCommand},
			Operation{Role: Shows, Phase: PhaseCompact, Needs: NeedsGuards, Run: onNamed(noWord(CompactNamed))}},
		{&cmdline.Flag{Name: "rename-current-context", Letters: "r", Takes: []cmdline.Value{renamed},
			Command: renameCommand},
			Operation{Role: Joins, Phase: PhaseRename, Run: onCurrent(Rename)}},
		{&cmdline.Flag{Name: "rename-context", Letters: "R", Command: renameCommand,
			Takes: []cmdline.Value{{Word: "OLD", Kind: cmdline.Context, Member: "old"}, renamed}},
			Operation{Role: Shows, Phase: PhaseRename, Run: onNamed(Rename)}},
		{&cmdline.Flag{Name: "destroy-current-context", Letters: "d", Aliases: []string{"delete-current-context"},
			About:   "delete the context with everything in it, after a confirmation",
			Command: destroyCommand},
			Operation{Role: Removes, Phase: PhaseDestroy, Run: onCurrent(noWord(Destroy))}},
		{&cmdline.Flag{Name: "destroy-context", Letters: "D", Aliases: []string{"delete-context"}, Takes: name,
			Command: destroyCommand},
			Operation{Role: Shows, Phase: PhaseDestroy, Run: onNamed(noWord(Destroy))}},
	}
}

// Archive empties a context.
func Archive(ctx context.Context, run Run, name string) error {
	return run.Session.WithLock(ctx, name, func(ctx context.Context, t *app.Session) error {
		if err := t.Agent.Clear(ctx); err != nil {
			return err
		}
		text := fmt.Sprintf("Context '%s' archived (history saved to transcript)", name)
		if t.Agent.Settings.KeepsNothing {
			text = fmt.Sprintf("Context '%s' is empty for this run", name)
		}
		return run.Out.Answer("archive_history", output.Fields{"context": name}, text)
	})
}

// CompactCurrent replaces the conversation of the run's own context with a summary that
// its model writes.
func CompactCurrent(ctx context.Context, run Run, name string) error {
	return run.Session.WithLock(ctx, name, func(ctx context.Context, t *app.Session) error {
		done, err := t.Agent.Compact(ctx)
		if err != nil {
			return err
		}
		text := string(done)
		if t.Agent.Settings.KeepsNothing && done == agent.CompactDone {
			text = "Context compacted for this run"
		}
		return run.Out.Answer("compact_context", compacted(name, done), text)
	})
}

// CompactNamed replaces the conversation of any context with a summary that the
// context's own model writes.
func CompactNamed(ctx context.Context, run Run, name string) error {
	return run.Session.WithLock(ctx, name, func(ctx context.Context, t *app.Session) error {
		if err := t.Connect(); err != nil {
			return err
		}
		done, err := t.Agent.Compact(ctx)
		if err != nil {
			return err
		}
		return run.Out.Answer("compact_context", compacted(name, done), fmt.Sprintf("Context '%s' compacted", name))
	})
}

func compacted(name string, done agent.Compacted) output.Fields {
	return output.Fields{"context": name, "compacted": done == agent.CompactDone}
}

// Rename renames a context. Plugins of this run receive the new name from then on.
func Rename(ctx context.Context, run Run, from, to string) error {
	if !run.Session.Store.Exists(ctx, from) {
		return fmt.Errorf("context %q is not stored yet, so there is nothing to rename", from)
	}
	if err := app.MayLose(ctx, run.Session, from); err != nil {
		return err
	}
	return run.Session.WithLock(ctx, from, func(ctx context.Context, t *app.Session) error {
		if err := t.Context.Rename(to); err != nil {
			return err
		}
		if err := run.Out.Answer("rename_context", output.Fields{"from": from, "to": to},
			fmt.Sprintf("Renamed context '%s' to '%s'", from, to)); err != nil || t != run.Session {
			return err
		}
		return run.Session.Load(ctx)
	})
}

// Destroy deletes a context if the person agrees.
func Destroy(ctx context.Context, run Run, name string) error {
	if !run.Session.Store.Exists(ctx, name) {
		return fmt.Errorf("context %q is not stored yet, so there is nothing to delete", name)
	}
	if err := app.MayLose(ctx, run.Session, name); err != nil {
		return err
	}
	if ok, err := run.Confirm(ctx, fmt.Sprintf("Destroy context '%s'? [y/N] ", name)); err != nil || !ok {
		return errors.Join(err, run.Out.Answer("destroy_context",
			output.Fields{"context": name, "destroyed": false}, "Aborted"))
	}
	return run.Session.WithLock(ctx, name, func(ctx context.Context, t *app.Session) error {
		state, err := run.Session.Store.State(ctx)
		if err != nil {
			return err
		}
		now, err := t.Context.Delete()
		destroyed := output.Fields{"context": name, "destroyed": true}
		switch {
		case err != nil:
			return err
		case state.Current == name:
			return run.Out.Answer("destroy_context", destroyed,
				fmt.Sprintf("Destroyed context '%s', switched to '%s'", name, now))
		}
		return run.Out.Answer("destroy_context", destroyed, "Destroyed context: "+name)
	})
}

// CacheRows are the operations that remove large tool outputs.
func CacheRows() []Row {
	clearCommand := &cmdline.Command{Names: []string{"clear_cache"}, Data: "`context`"}
	return []Row{
		{&cmdline.Flag{Name: "clear-cache", About: "remove the large tool outputs of the current context",
			Command: clearCommand},
			Operation{Role: Joins, Phase: PhaseCache, Run: onCurrent(noWord(clearCache))}},
		{&cmdline.Flag{Name: "clear-cache-for", Command: clearCommand,
			Takes: []cmdline.Value{{Word: "NAME", Kind: cmdline.Context, Member: "name"}}},
			Operation{Role: Joins, Phase: PhaseCache, Run: onNamed(noWord(clearCache))}},
		{&cmdline.Flag{Name: "cleanup-cache", Command: &cmdline.Command{Names: []string{"cleanup_cache"},
			Data: "`removed`, `max_age_days`"},
			About: "remove old tool outputs in all contexts, as a run does once a day"},
			Operation{Role: Joins, Phase: PhaseCache, Run: cleanupCache}},
	}
}

func clearCache(_ context.Context, run Run, name string) error {
	if err := app.CachesOf(run.Session).Cache(name).Clear(); err != nil {
		return err
	}
	return run.Out.AnswerCleared(name)
}

func cleanupCache(ctx context.Context, run Run, _ cmdline.Given) error {
	removed, err := app.CachesOf(run.Session).Clean(ctx, 0)
	if err != nil {
		return err
	}
	days := run.Session.Config.ToolCacheMaxAgeDays
	return run.Out.Answer("cleanup_cache", output.Fields{"removed": removed, "max_age_days": days},
		fmt.Sprintf("Removed %d old cache entries (older than %d days)", removed, days))
}
