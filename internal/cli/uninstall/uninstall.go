// Package uninstall has the command that removes chibi and the files that it wrote.
package uninstall

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/urfave/cli/v2"
)

// Commands lists the command uninstall.
func Commands(env *command.Env) []*cli.Command {
	u := uninstaller{env: env}
	return []*cli.Command{env.Command(command.Spec{
		Name: "uninstall", About: "remove everything that chibi wrote: agents' settings, its processes, its home",
		More: "chibi shows the list and asks. Your own files stay: config.toml, plugins, recipes, prompts and contexts; " +
			"--all removes them too. chibi never removes a store that many machines share, the settings of projects, or " +
			"files in the home that it does not know. It removes nothing if it cannot remove everything on the list: if " +
			"a run uses the home, or chibi cannot read or change a settings file.",
		Flags: []cli.Flag{
			command.Switch(&u.all, "all", "remove your configuration, plugins, recipes, prompts and contexts too"),
			env.YesFlag("remove without asking, for scripts"),
		},
		Examples: []string{"chibi uninstall", "chibi uninstall --all --yes"},
		Run:      u.run,
	})}
}

// uninstaller is the command: all is its flag.
type uninstaller struct {
	env *command.Env
	all bool
}

// run makes the whole plan, with every error that can be foreseen, before it removes anything.
func (u *uninstaller) run(ctx context.Context, _ []string) error {
	opts, err := u.env.Request(app.ToRead)
	if err != nil {
		return err
	}
	home, err := app.Home(opts.Home)
	if err != nil {
		return err
	}
	p, err := planFor(ctx, home, u.all)
	if err != nil {
		return fmt.Errorf("nothing was removed: %w", err)
	}
	if err := u.show(p); err != nil || p.isEmpty() {
		return err
	}
	if ok, err := u.env.Confirm(ctx, "Remove all of this? [y/N] "); err != nil || !ok {
		u.env.Out.Notef("nothing was removed")
		return err
	}
	note := func(text string) { u.env.Out.Notef("%s", term.Line(text)) }
	if err := p.carryOut(ctx, note); err != nil {
		return err
	}
	return u.env.Out.Say("Removed. The program itself is still there%s", program())
}

// program says where the program is.
func program() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return "; remove it with: rm " + term.Name(path)
}

// show lists the things to remove and the things that stay.
func (u *uninstaller) show(p plan) error {
	var lines []string
	for _, a := range p.agents {
		for _, file := range a.done.Files {
			lines = append(lines, fmt.Sprintf("remove chibi's entries for %s from %s", a.Agent.Title, term.Name(file)))
		}
		for _, command := range a.done.Ran {
			lines = append(lines, "run "+term.Name(command))
		}
	}
	for _, dir := range p.processes {
		lines = append(lines, "end the kept processes of plugins of "+term.Name(dir))
	}
	for _, path := range p.files {
		lines = append(lines, "remove "+term.Name(path))
	}
	for _, path := range p.projects {
		lines = append(lines, fmt.Sprintf("leave %s; in its project, chibi bridge remove AGENT --project removes the entries",
			term.Name(path)))
	}
	if len(p.yours) > 0 {
		lines = append(lines, fmt.Sprintf("leave in %s: %s", term.Name(p.home), strings.Join(p.yours, ", ")))
	}
	if p.isEmpty() {
		lines = append(lines, "There is nothing to remove")
	}
	for _, line := range lines {
		if err := u.env.Out.Say("%s", line); err != nil {
			return err
		}
	}
	return nil
}
