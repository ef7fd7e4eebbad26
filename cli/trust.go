package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/config"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/plugin/kodelet"
	"github.com/chibi-host/chibi/recipes"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
)

// trustFlags are the flags of the command trust.
type trustFlags struct{ list, revoke bool }

func (p *program) trustCommand(ctx context.Context) *cli.Command {
	var f trustFlags
	return withExample(leaf(ctx, "trust", "[FOLDER]", "show what a folder's hooks and recipes would run, and approve them", func(ctx context.Context, args []string) error {
		folder := "."
		if len(args) > 0 {
			folder = args[0]
		}
		home, err := config.Home(p.opts.home, os.Getenv)
		if err != nil {
			return usageError{err}
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
		return p.trustApprove(ctx, store, folder)
	},
		&cli.BoolFlag{Name: "list", Usage: "list what is approved, and whether it has changed", DisableDefaultText: true, Destination: &f.list},
		&cli.BoolFlag{Name: "revoke", Usage: "take a folder's approval back", DisableDefaultText: true, Destination: &f.revoke},
		&cli.BoolFlag{Name: "yes", Usage: "approve without asking, for scripts", DisableDefaultText: true, Destination: &p.opts.yes},
	), "chibi trust", "chibi trust --list", "chibi trust --revoke ~/src/project")
}

// trustApprove shows what would run, and approves it if the person agrees.
func (p *program) trustApprove(ctx context.Context, store *trust.Store, folder string) error {
	project, err := findProject(folder)
	if err != nil {
		return err
	}
	if project.own {
		return p.say("%s is your home folder; what is in it is yours and needs no approval", project.dir)
	}
	if project.approval, err = store.Find(project.dir); err != nil {
		return err
	}
	files := project.files()
	if err := p.showProject(project, files); err != nil {
		return err
	}
	if len(files) == 0 || !project.changed(files) {
		return nil
	}
	if ok, err := p.agrees(ctx, "Approve them as they are? [y/N] "); err != nil || !ok {
		return errors.Join(err, p.say("Nothing was approved"))
	}
	if err := store.Approve(trust.Approval{Folder: project.dir, At: time.Now().UTC().Truncate(time.Second), Files: files}); err != nil {
		return err
	}
	return p.say("Approved %s of %s", english.Plural(len(files), "file", ""), project.dir)
}

// changed says whether the approval is not about these files as they are.
func (p project) changed(files []trust.File) bool {
	return !slices.Equal(files, p.approval.Files)
}

// showProject shows the files of a project that would run.
func (p *program) showProject(project project, files []trust.File) error {
	if len(files) == 0 && len(project.approval.Files) == 0 {
		return p.say("There is nothing to approve in %s: it has no hooks in %s and no recipes", project.dir, hooksFolder)
	}
	if err := p.say("In %s:", project.dir); err != nil {
		return err
	}
	var rows [][]string
	for _, f := range files {
		rows = append(rows, []string{"  " + term.Name(f.Path), f.Mode, f.SHA256[:12], project.approval.State(f), project.about(f)})
	}
	for _, f := range project.approval.Files {
		if !slices.ContainsFunc(files, func(now trust.File) bool { return now.Path == f.Path }) {
			rows = append(rows, []string{"  " + term.Name(f.Path), f.Mode, f.SHA256[:12], "gone", ""})
		}
	}
	return p.printColumns(rows)
}

// about says what a file would do, as far as that can be told without running
// it.
func (p project) about(f trust.File) string {
	path := filepath.Join(p.dir, f.Path)
	if !strings.HasPrefix(f.Path, hooksFolder) {
		text, err := os.ReadFile(path)
		if err != nil {
			return "recipe"
		}
		r, err := recipes.Parse(f.Path, "", text)
		switch {
		case err != nil:
			return "recipe that cannot be read"
		case r.RunsCommands():
			return "recipe that runs commands"
		}
		return "recipe"
	}
	about := "hook"
	if names := mentioned(path); len(names) > 0 {
		about += ", its text names " + strings.Join(names, ", ")
	}
	if p.user != "" {
		own := filepath.Join(p.user, hooksFolder, filepath.Base(path))
		if _, err := os.Stat(own); err == nil {
			about += "; it would take the place of " + own
		}
	}
	return about
}

// mentioned lists the events that a hook's text names. Asking it would run it.
func mentioned(path string) (names []string) {
	info, err := os.Stat(path)
	if err != nil || info.Size() > 1<<20 {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	for name := range kodelet.Events() {
		if strings.Contains(string(text), name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// trustList lists all approvals with the state of their files.
func (p *program) trustList(store *trust.Store) error {
	all, err := store.List()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return p.say("Nothing is approved")
	}
	for _, a := range all {
		if err := p.say("%s, approved %s:", a.Folder, humanize.Time(a.At)); err != nil {
			return err
		}
		var rows [][]string
		for _, f := range a.Files {
			state := "gone"
			if now, err := trust.Fingerprint(a.Folder, f.Path); err == nil {
				state = a.State(now)
			}
			rows = append(rows, []string{"  " + term.Name(f.Path), f.Mode, f.SHA256[:12], state})
		}
		if err := p.printColumns(rows); err != nil {
			return err
		}
	}
	return nil
}

// trustRevoke takes an approval back, also that of a folder that is gone.
func (p *program) trustRevoke(store *trust.Store, folder string) error {
	dir, err := trust.Folder(folder)
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
