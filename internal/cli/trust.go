package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
)

// trustFlags are the flags of the command trust.
type trustFlags struct {
	list, revoke bool
	data         []string
}

func (p *program) trustCommand(ctx context.Context) *cli.Command {
	var f trustFlags
	run := func(ctx context.Context, args []string) error { return p.trust(ctx, args, f) }
	return withExample(leaf(ctx, "trust", "[FOLDER]",
		"show what a folder's hooks and recipes would run, and approve them", run,
		&cmdline.Flag{Name: "data", Takes: cmdline.Word("PATTERN", cmdline.Argument), Into: cmdline.List(&f.data),
			About: "a PATTERN of files beside the hooks that hooks write and nothing loads as code, such as '*.log': they " +
				"may change"},
		&cli.BoolFlag{Name: "list", Usage: "list what is approved, and whether it has changed",
			DisableDefaultText: true, Destination: &f.list},
		&cli.BoolFlag{Name: "revoke", Usage: "take a folder's approval back", DisableDefaultText: true,
			Destination: &f.revoke},
		p.yesFlag("approve without asking, for scripts"),
	), "chibi trust", "chibi trust --data '*.log'", "chibi trust --list", "chibi trust --revoke ~/src/project")
}

// trust shows, approves, lists or revokes.
func (p *program) trust(ctx context.Context, args []string, f trustFlags) error {
	folder := "."
	if len(args) > 0 {
		folder = args[0]
	}
	home, err := config.Home(p.opts.home, os.Getenv)
	if err != nil {
		return app.UsageError{Err: err}
	}
	for _, pattern := range f.data {
		if err := trust.CheckData(pattern); err != nil {
			return usage("--data %q: %v", pattern, err)
		}
	}
	store := trust.Open(home)
	switch {
	case f.list && f.revoke:
		return usage("--list and --revoke exclude each other")
	case f.list:
		return p.trustList(store)
	case f.revoke:
		return p.trustRevoke(store, folder)
	}
	return p.trustApprove(ctx, store, folder, f.data)
}

// trustApprove shows what would run, and approves it if the person agrees.
func (p *program) trustApprove(ctx context.Context, store *trust.Store, folder string, data []string) error {
	project, err := app.FindProject(folder)
	if err != nil {
		return err
	}
	if project.Own {
		return p.say("%s is your home folder; what is in it is yours and needs no approval", project.Dir)
	}
	before, err := store.Find(project.Dir)
	if err != nil {
		return err
	}
	project.Approval = before
	project.Approval.Data = slices.Compact(slices.Sorted(slices.Values(slices.Concat(before.Data, data))))
	files, problem := project.Look()
	if problem != nil {
		problem = fmt.Errorf("the hooks of %s cannot be approved: %w", project.Dir, problem)
	}
	if problem != nil && len(files) == 0 {
		return problem
	}
	if err := p.showProject(project, files); err != nil {
		return err
	}
	if problem != nil {
		p.screen.notef("%v", problem)
	}
	now := project.Approve(files)
	if len(files) == 0 || same(before, now) {
		return nil
	}
	if ok, err := p.confirm(ctx, "Approve them as they are? [y/N] "); err != nil || !ok {
		return errors.Join(err, p.say("Nothing was approved"))
	}
	now.At = time.Now().UTC().Truncate(time.Second)
	if err := store.Approve(now); err != nil {
		return err
	}
	return p.say("Approved %s of %s", english.Plural(len(files), "file", ""), project.Dir)
}

// same reports whether an approval is about just these files.
func same(a, b trust.Approval) bool {
	return a.Format == b.Format && slices.Equal(a.Files, b.Files) && slices.Equal(a.Data, b.Data)
}

// trustRevoke takes an approval back, also that of a folder that is gone.
func (p *program) trustRevoke(store *trust.Store, folder string) error {
	dir, err := trust.RealPath(folder)
	if err != nil {
		if dir, err = filepath.Abs(folder); err != nil {
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
	return p.say("Nothing of %s is approved any more", dir)
}
