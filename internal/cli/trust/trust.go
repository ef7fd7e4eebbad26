// Package trust has the command that approves the hooks and other files that come with a directory.
package trust

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
)

type flags struct {
	list, revoke bool
	data         []string
}

// Commands lists the command trust.
func Commands(env *command.Env) []*cli.Command {
	var f flags
	return []*cli.Command{env.Command(command.Spec{
		Name: "trust", Args: "[DIRECTORY]", About: "show what a directory's hooks and recipes would run, and approve them",
		Flags: []cli.Flag{
			&cmdline.Flag{Name: "data", Takes: cmdline.Word("PATTERN", cmdline.Argument), Into: cmdline.List(&f.data),
				About: "a PATTERN of files beside the hooks that hooks write and nothing loads as code, such as '*.log': they " +
					"may change"},
			command.Switch(&f.list, "list", "list the approvals, and whether their files have changed"),
			command.Switch(&f.revoke, "revoke", "revoke the approval of a directory"),
			env.YesFlag("approve without asking, for scripts"),
		},
		Examples: []string{"chibi trust", "chibi trust --data '*.log'", "chibi trust --list",
			"chibi trust --revoke ~/src/project"},
		Run: func(ctx context.Context, args []string) error { return run(ctx, env, args, f) },
	})}
}

func run(ctx context.Context, env *command.Env, args []string, f flags) error {
	dir := "."
	if len(args) > 0 {
		dir = args[0]
	}
	opts, err := env.Request(app.ToRead)
	if err != nil {
		return err
	}
	home, err := app.Home(opts.Home)
	if err != nil {
		return err
	}
	for _, pattern := range f.data {
		if err := trust.CheckData(pattern); err != nil {
			return command.Usage("--data %q: %v", pattern, err)
		}
	}
	store := trust.Open(home)
	switch {
	case f.list && f.revoke:
		return command.Usage("--list and --revoke exclude each other")
	case f.list:
		return listApprovals(env, store)
	case f.revoke:
		return revoke(env, store, dir)
	}
	p, err := project.Find(dir)
	if err != nil {
		return err
	}
	return approve(ctx, env, approval{store, p, f.data})
}

type approval struct {
	store *trust.Store
	at    project.Project
	data  []string // patterns of files that may change
}

func approve(ctx context.Context, env *command.Env, a approval) error {
	store, at, data := a.store, a.at, a.data
	if at.Own {
		return env.Out.Say("%s is your home directory; its files are yours and need no approval", at.Dir)
	}
	before, err := store.Find(at.Dir)
	if err != nil {
		return err
	}
	at.Approval = before
	at.Approval.Data = slices.Compact(slices.Sorted(slices.Values(slices.Concat(before.Data, data))))
	files, problem := app.Look(at)
	if problem != nil {
		problem = fmt.Errorf("the hooks of %s cannot be approved: %w", at.Dir, problem)
	}
	if problem != nil && len(files) == 0 {
		return problem
	}
	if err := showProject(env, at, files); err != nil {
		return err
	}
	if problem != nil {
		env.Out.Notef("%v", problem)
	}
	now := at.Approve(files)
	if len(files) == 0 || same(before, now) {
		return nil
	}
	if ok, err := env.Confirm(ctx, "Approve them as they are? [y/N] "); err != nil || !ok {
		return errors.Join(err, env.Out.Say("Nothing was approved"))
	}
	now.At = time.Now().UTC().Truncate(time.Second)
	if err := store.Approve(now); err != nil {
		return err
	}
	return env.Out.Say("Approved %s of %s", english.Plural(len(files), "file", ""), at.Dir)
}

func same(a, b trust.Approval) bool {
	return a.Format == b.Format && slices.Equal(a.Files, b.Files) && slices.Equal(a.Data, b.Data)
}

// revoke revokes an approval, also for a directory that no longer exists.
func revoke(env *command.Env, store *trust.Store, path string) error {
	dir, err := trust.RealPath(path)
	if err != nil {
		if dir, err = filepath.Abs(path); err != nil {
			return err
		}
	}
	found, err := store.Revoke(dir)
	switch {
	case err != nil:
		return err
	case !found:
		return fmt.Errorf("nothing of %s is approved; chibi trust --list lists all approvals", dir)
	}
	return env.Out.Say("Nothing of %s is approved any more", dir)
}
