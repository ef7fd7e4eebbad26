package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/workbench/check"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/urfave/cli/v2"
)

// errFindings is how a check ends that found errors, which it has printed.
var errFindings = errors.New("there are errors, see above")

func (p *program) checkCommand(ctx context.Context) *cli.Command {
	var asJSON bool
	return withExample(leaf(ctx, "check", "[PLUGIN]...",
		"try plugins out in a scratch home, with an example of each of their hooks, and say what is wrong; all plugins "+
			"without a name",
		func(ctx context.Context, args []string) error {
			return p.pluginCheck(ctx, args, asJSON)
		}, jsonFlag(&asJSON)), "chibi plugin check my-filter", "chibi plugin check ./path/to/plugin --json")
}

// pluginCheck checks plugins; the error says that some have errors.
func (p *program) pluginCheck(ctx context.Context, names []string, asJSON bool) error {
	return p.checking(ctx, names, func(c *checks) error {
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
				p.printReport(r)
			}
		}
		if asJSON {
			if err := p.printJSON(reports); err != nil {
				return err
			}
		}
		if len(reports) == 0 {
			p.out.Notef("there are no plugins in %s", c.Loader().Dir())
		}
		if !passed {
			return errFindings
		}
		return nil
	})
}

// target is a plugin that is to be checked: an entry of the plugins folder, a path
// that is looked at as if it were copied there, or a hook of another program.
type target struct {
	name    string
	path    string // what takes the place of the entry; "": nothing
	foreign bool
	absent  string // why there is nothing to check
	remark  string // why it is not used as it is
}

// checks are plugins that are to be checked, in a scratch home.
type checks struct {
	*session
	targets []target
	placed  map[string]string
	common  *check.Dir // with all that is placed
}

// checking finds plugins to check, all without a name, and does something with them
// in a scratch home.
func (p *program) checking(ctx context.Context, names []string, do func(*checks) error) error {
	opts, err := p.request(app.ToRead)
	if err != nil {
		return err
	}
	home, err := app.MakeScratch(opts, "check")
	if err != nil {
		return err
	}
	defer home.Remove()
	s, err := p.open(ctx, app.ToRead, func(opts *app.Options) {
		opts.Plugins = opts.Plugins.In(home)
		opts.Plugins.AskAgain = true
	})
	if err != nil {
		return err
	}
	defer s.Close()
	c := &checks{session: s, placed: map[string]string{}}
	for _, name := range names {
		t, err := s.target(name)
		if err != nil {
			return err
		}
		if _, taken := c.placed[t.name]; t.path != "" && t.absent == "" && !taken {
			c.placed[t.name] = t.path
		}
		c.targets = append(c.targets, t)
	}
	if len(names) == 0 {
		if c.common, err = c.load(ctx, nil); err != nil {
			return err
		}
		for _, name := range c.common.Names() {
			c.targets = append(c.targets, target{name: name})
		}
	}
	return do(c)
}

// target finds out what a person means by the name of a plugin, or a path.
func (s *session) target(name string) (target, error) {
	full, err := filepath.Abs(name)
	inFolder := filepath.Join(s.Loader().Dir(), name)
	switch {
	case err != nil:
		return target{}, err
	case strings.Contains(name, ":") && !exists(inFolder) && !exists(full):
		return target{name: name, foreign: true}, nil
	case !strings.Contains(name, "/") && exists(inFolder):
		full = inFolder
	case !strings.Contains(name, "/") && exists(inFolder+".disabled"):
		full = inFolder + ".disabled"
	case !exists(full):
		why := fmt.Sprintf("there is no plugin %q in %s, and there is no file %s", name, s.Loader().Dir(), full)
		return target{name: filepath.Base(full), path: full, absent: why}, nil
	}
	t := target{name: filepath.Base(full), path: full}
	if filepath.Dir(full) == filepath.Clean(s.Loader().Dir()) {
		t.path = "" // it is there already
	}
	_, left := native.Find(s.Loader().Native(), t.name)
	if left != nil && left.Disabled && (t.path == "" || strings.HasSuffix(t.name, ".disabled")) {
		t.name, t.path = strings.TrimSuffix(t.name, ".disabled"), full
		t.remark = fmt.Sprintf("it is not used: %s; it was checked as if it were enabled (chibi plugin enable %s)",
			left.Reason, term.ShellWord(t.name))
	}
	return t, nil
}

// exists reports whether there is something at a path, also a link that leads nowhere.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// load loads the plugins folder with what is placed in it.
func (c *checks) load(ctx context.Context, placed map[string]string) (*check.Dir, error) {
	opts := c.Loader().Native()
	// What plugins say on standard error is part of what is found; nobody is at the
	// terminal to answer them.
	opts.Runner = process.Runner{Env: opts.Runner.Env}
	opts.Spool, opts.Placed = nil, placed
	prober, keep := c.Loader().Prober()
	defer keep()
	opts.Prober = prober
	return check.Load(ctx, opts)
}

// folder is the plugins folder with a target in it, and with the others if they do
// not want the same name.
func (c *checks) folder(ctx context.Context, t target) (folder *check.Dir, err error) {
	if c.placed[t.name] != t.path {
		return c.load(ctx, map[string]string{t.name: cmp.Or(t.path, filepath.Join(c.Loader().Dir(), t.name))})
	}
	if c.common == nil {
		c.common, err = c.load(ctx, c.placed)
	}
	return c.common, err
}

// check checks one plugin.
func (c *checks) check(ctx context.Context, t target) (check.Report, error) {
	switch {
	case t.absent != "":
		return check.Missing(t.name, t.path, t.absent), nil
	case t.foreign:
		return c.checkForeign(ctx, t.name)
	}
	folder, err := c.folder(ctx, t)
	if err != nil {
		return check.Report{}, err
	}
	r := folder.Check(ctx, t.name)
	if t.remark != "" {
		r.Warn(t.remark)
	}
	return r, nil
}

// checkForeign checks a hook of another program.
func (c *checks) checkForeign(ctx context.Context, name string) (check.Report, error) {
	if err := c.Load(ctx); err != nil {
		return check.Report{}, err
	}
	for i := range c.Loaded.Plugins {
		if c.Loaded.Plugins[i].Name == name {
			return c.withNotices(check.Loaded(ctx, &c.Loaded.Plugins[i])), nil
		}
	}
	for _, left := range c.Loaded.LeftOut {
		if left.Name != name {
			continue
		}
		why := left.Reason
		if left.Untrusted {
			why += "; approve it with: chibi trust"
		}
		return check.Missing(name, left.Origin.Path, why), nil
	}
	return check.Report{}, usage("there is no plugin %q; chibi plugin list names them all", name)
}

// withNotices adds what was said of a plugin when it was loaded.
func (c *checks) withNotices(r check.Report) check.Report {
	for _, n := range c.Loaded.Notices {
		if n.Plugin == r.Plugin {
			r.Warn(n.Text)
		}
	}
	return r
}
