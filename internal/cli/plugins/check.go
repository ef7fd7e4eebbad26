package plugins

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/workbench/check"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/urfave/cli/v2"
)

var errFindings = errors.New("there are errors, see above")

func checkCommand(env *command.Env) *cli.Command {
	var asJSON bool
	return env.Command(command.Spec{
		Name: "check", Args: "[PLUGIN]...",
		About: "run plugins in a scratch home with an example of each of their hooks, and say what is wrong; " +
			"without PLUGIN, all of them",
		Flags:    []cli.Flag{command.JSONFlag(&asJSON)},
		Examples: []string{"chibi plugin check my-filter", "chibi plugin check ./path/to/plugin --json"},
		Run: func(ctx context.Context, args []string) error {
			return withChecker(ctx, env, args, func(c *checker) error { return checkAll(ctx, env, c, asJSON) })
		},
	})
}

func checkAll(ctx context.Context, env *command.Env, c *checker, asJSON bool) error {
	reports := []check.Report{}
	passed := true
	for _, t := range c.targets {
		r, err := c.check(ctx, t)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		reports = append(reports, r)
		passed = passed && r.Passed()
		if !asJSON {
			printReport(env.Out, r)
		}
	}
	if asJSON {
		if err := env.Out.JSON(reports); err != nil {
			return err
		}
	}
	if len(reports) == 0 {
		env.Out.Notef("there are no plugins in %s", c.session.Loader().Dir())
	}
	if !passed {
		return errFindings
	}
	return nil
}

func printReport(out *output.Printer, r check.Report) {
	mark, word := "ok", "ok"
	if !r.Passed() {
		mark, word = "error", "FAIL"
	}
	about := []string{}
	if len(r.Hooks) > 0 {
		about = append(about, "hooks: "+strings.Join(r.Hooks, ", "))
	}
	if len(r.Tools) > 0 {
		about = append(about, "tools: "+strings.Join(r.Tools, ", "))
	}
	w := out.Screen.Stdout()
	fmt.Fprintf(w, "%s  %s  %s\n", out.Paint(mark, fmt.Sprintf("%-4s", word)), term.Name(r.Plugin),
		strings.Join(about, "; "))
	for _, f := range r.Findings {
		fmt.Fprintf(w, "      %s %s: %s\n", out.Paint(string(f.Level), string(f.Level)), term.Line(f.Where),
			term.Line(f.Text))
	}
}

type checker struct {
	session *app.Session
	targets []target
	placed  map[string]string // paths that take the places of entries, by name
	common  *check.Dir        // the directory with all that is placed
}

func withChecker(ctx context.Context, env *command.Env, names []string, do func(*checker) error) error {
	opts, err := env.Request(app.ToRead)
	if err != nil {
		return err
	}
	home, err := app.MakeScratch(opts, "check")
	if err != nil {
		return err
	}
	defer home.Remove()
	opts.Plugins = opts.Plugins.In(home)
	opts.Plugins.AskAgain = true
	s, err := app.Open(ctx, opts)
	if err != nil {
		return err
	}
	defer s.Close()
	c := &checker{session: s, placed: map[string]string{}}
	if len(names) == 0 {
		err = c.addAll(ctx)
	} else {
		err = c.add(names)
	}
	if err != nil {
		return err
	}
	return do(c)
}

func (c *checker) add(names []string) error {
	for _, name := range names {
		t, err := findTarget(c.session, name)
		if err != nil {
			return err
		}
		if _, taken := c.placed[t.name]; t.path != "" && t.absent == "" && !taken {
			c.placed[t.name] = t.path
		}
		c.targets = append(c.targets, t)
	}
	return nil
}

func (c *checker) addAll(ctx context.Context) (err error) {
	if c.common, err = c.load(ctx, nil); err != nil {
		return err
	}
	for _, name := range c.common.Names() {
		c.targets = append(c.targets, target{name: name})
	}
	return nil
}

func (c *checker) load(ctx context.Context, placed map[string]string) (*check.Dir, error) {
	opts := c.session.Loader().Native()
	// The standard error of plugins is part of the findings; nobody is at the terminal to answer them.
	opts.Runner = process.Runner{Env: opts.Runner.Env}
	opts.Spool, opts.Placed = nil, placed
	prober, keep := c.session.Loader().Prober()
	defer keep()
	opts.Prober = prober
	dir, err := check.Load(ctx, opts)
	if err != nil {
		return nil, err
	}
	if dir.Contexts, err = c.session.Store.Names(ctx); err == nil {
		dir.Rules, err = app.WouldJudge(c.session)
	}
	return dir, err
}

// directory returns the plugins directory with a target in it, and with the others if
// they do not need the same name.
func (c *checker) directory(ctx context.Context, t target) (dir *check.Dir, err error) {
	if c.placed[t.name] != t.path {
		return c.load(ctx, map[string]string{t.name: cmp.Or(t.path, filepath.Join(c.session.Loader().Dir(), t.name))})
	}
	if c.common == nil {
		c.common, err = c.load(ctx, c.placed)
	}
	return c.common, err
}

func (c *checker) check(ctx context.Context, t target) (check.Report, error) {
	switch {
	case t.absent != "":
		return check.Missing(t.name, t.path, t.absent), nil
	case t.foreign:
		return checkForeign(ctx, c.session, t.name)
	}
	dir, err := c.directory(ctx, t)
	if err != nil {
		return check.Report{}, err
	}
	r := dir.Check(ctx, t.name)
	if t.remark != "" {
		r.Warn(t.remark)
	}
	c.checkAgents(&r, dir.Plugin(t.name))
	return r, nil
}

func (c *checker) checkAgents(r *check.Report, p *plugin.Plugin) {
	if p == nil {
		return
	}
	for _, d := range bridge.AgentsOf(c.session.Home) {
		for _, loss := range bridge.LossesIn(d, []plugin.Plugin{*p}) {
			r.Findings = append(r.Findings, check.Finding{Level: check.Warning, Where: "in " + d.Title, Text: loss.Text})
		}
	}
}

func checkForeign(ctx context.Context, s *app.Session, name string) (check.Report, error) {
	p, left, err := findLoaded(ctx, s, name)
	switch {
	case err != nil:
		return check.Report{}, err
	case left != nil:
		return check.Missing(name, left.Origin.Path, whyLeftOut(left.Reason, left.Untrusted)), nil
	}
	r := check.Loaded(ctx, p)
	for _, n := range s.Loaded.Notices {
		if n.Plugin == r.Plugin {
			r.Warn(n.Text)
		}
	}
	return r, nil
}
