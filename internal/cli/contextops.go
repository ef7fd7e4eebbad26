package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
)

// contextOperations change contexts as a whole.
func contextOperations() []row {
	name := []cmdline.Value{{Word: "NAME", Kind: cmdline.Context, Member: "name"}}
	renamed := cmdline.Value{Word: "NEW", Kind: cmdline.Text, Member: "new"}
	archiveCommand := &cmdline.Command{Names: []string{"archive_history", "archive_context"}, Data: "`context`"}
	compactCommand := &cmdline.Command{Names: []string{"compact_context"},
		Data: "`context`, `compacted`: `false` if there was nothing to compact"}
	renameCommand := &cmdline.Command{Names: []string{"rename_context"}, Data: "`from`, `to`"}
	destroyCommand := &cmdline.Command{Names: []string{"destroy_context", "delete_context"},
		Data: "`context`, `destroyed`"}
	return []row{
		{&cmdline.Flag{Name: "archive-current-history", Letters: "a", Aliases: []string{"archive-current-context"},
			About:   "empty the context; the transcript keeps everything",
			Command: archiveCommand},
			operation{role: joins, phase: phaseArchive, run: onCurrent(noWord(archive))}},
		{&cmdline.Flag{Name: "archive-history", Letters: "A", Aliases: []string{"archive-context"}, Takes: name,
			Command: archiveCommand},
			operation{role: shows, phase: phaseArchive, run: onNamed(noWord(archive))}},
		{&cmdline.Flag{Name: "compact-current-context", Letters: "z",
			About: "replace the conversation by a summary that the model writes", Command: compactCommand},
			operation{role: joins, phase: phaseCompact, needs: needsModel, run: onCurrent(noWord(compactCurrent))}},
		{&cmdline.Flag{Name: "compact-context", Letters: "Z", Takes: name, Command: compactCommand},
			operation{role: shows, phase: phaseCompact, needs: needsGuards, run: onNamed(noWord(compactNamed))}},
		{&cmdline.Flag{Name: "rename-current-context", Letters: "r", Takes: []cmdline.Value{renamed},
			Command: renameCommand},
			operation{role: joins, phase: phaseRename, run: onCurrent(rename)}},
		{&cmdline.Flag{Name: "rename-context", Letters: "R", Command: renameCommand,
			Takes: []cmdline.Value{{Word: "OLD", Kind: cmdline.Context, Member: "old"}, renamed}},
			operation{role: shows, phase: phaseRename, run: onNamed(rename)}},
		{&cmdline.Flag{Name: "destroy-current-context", Letters: "d", Aliases: []string{"delete-current-context"},
			About:   "delete with everything in it, after a question",
			Command: destroyCommand},
			operation{role: removes, phase: phaseDestroy, run: onCurrent(noWord(destroy))}},
		{&cmdline.Flag{Name: "destroy-context", Letters: "D", Aliases: []string{"delete-context"}, Takes: name,
			Command: destroyCommand},
			operation{role: shows, phase: phaseDestroy, run: onNamed(noWord(destroy))}},
	}
}

// archive empties a context.
func archive(ctx context.Context, s *session, name string) error {
	return s.owning(ctx, name, func(ctx context.Context, t *session) error {
		if err := t.Agent.Clear(ctx); err != nil {
			return err
		}
		return s.answer("archive_history", fields{"context": name},
			fmt.Sprintf("Context '%s' archived (history saved to transcript)", name))
	})
}

// compactCurrent replaces the conversation of the run's own context by a summary.
func compactCurrent(ctx context.Context, s *session, name string) error {
	return s.owning(ctx, name, func(ctx context.Context, t *session) error {
		done, err := t.Agent.Compact(ctx)
		if err != nil {
			return err
		}
		return s.answer("compact_context", compacted(name, done), string(done))
	})
}

// compactNamed does so in any context, with its own model.
func compactNamed(ctx context.Context, s *session, name string) error {
	return s.owning(ctx, name, func(ctx context.Context, t *session) error {
		if err := t.Connect(); err != nil {
			return err
		}
		done, err := t.Agent.Compact(ctx)
		if err != nil {
			return err
		}
		return s.answer("compact_context", compacted(name, done), fmt.Sprintf("Context '%s' compacted", name))
	})
}

func compacted(name string, done agent.Compacted) fields {
	return fields{"context": name, "compacted": done == agent.CompactDone}
}

// rename gives a context another name. Plugins of this run are told the new one
// from then on.
func rename(ctx context.Context, s *session, from, to string) error {
	if !s.Store.Exists(ctx, from) {
		return fmt.Errorf("context %q does not exist", from)
	}
	return s.owning(ctx, from, func(ctx context.Context, t *session) error {
		if err := t.Context.Rename(to); err != nil {
			return err
		}
		if err := s.answer("rename_context", fields{"from": from, "to": to},
			fmt.Sprintf("Renamed context '%s' to '%s'", from, to)); err != nil || t.Session != s.Session {
			return err
		}
		return s.Load(ctx)
	})
}

// destroy removes a context, if the person agrees.
func destroy(ctx context.Context, s *session, name string) error {
	if !s.Store.Exists(ctx, name) {
		return fmt.Errorf("context %q not found", name)
	}
	if ok, err := s.env.Confirm(ctx, fmt.Sprintf("Destroy context '%s'? [y/N] ", name)); err != nil || !ok {
		return errors.Join(err, s.answer("destroy_context", fields{"context": name, "destroyed": false}, "Aborted"))
	}
	return s.owning(ctx, name, func(ctx context.Context, t *session) error {
		state, err := s.Store.State(ctx)
		if err != nil {
			return err
		}
		now, err := t.Context.Delete()
		destroyed := fields{"context": name, "destroyed": true}
		switch {
		case err != nil:
			return err
		case state.Current == name:
			return s.answer("destroy_context", destroyed, fmt.Sprintf("Destroyed context '%s', switched to '%s'", name, now))
		}
		return s.answer("destroy_context", destroyed, "Destroyed context: "+name)
	})
}
