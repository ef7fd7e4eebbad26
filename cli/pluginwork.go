package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/plugincheck"
	"github.com/chibi-host/chibi/internal/scaffold"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
	"github.com/urfave/cli/v2"
)

// errFindings is how a check ends that found errors, which it has printed.
var errFindings = errors.New("there are errors, see above")

// newFlags are the flags of plugin new.
type newFlags struct {
	lang, dir string
	hooks     []string
	tool      bool
}

func (p *program) newCommand(ctx context.Context) *cli.Command {
	var f newFlags
	return withExample(leaf(ctx, "new", "PLUGIN", "write the beginning of a plugin: working, with the fields of its "+
		"hooks in comments", func(_ context.Context, args []string) error {
		return p.pluginNew(args[0], f)
	},
		&cli.StringFlag{Name: "lang", Usage: "`LANGUAGE`: " + strings.Join(scaffold.Languages(), ", "),
			Value: "sh", Destination: &f.lang},
		&valuesFlag{names: []string{"hook"}, kinds: []valueKind{pointValue}, values: &f.hooks,
			about: "ask for this hook point, as often as there are some"},
		&cli.BoolFlag{Name: "tool", Usage: "it is a tool: its description asks for what the model should know",
			DisableDefaultText: true, Destination: &f.tool},
		&cli.StringFlag{Name: "dir", Usage: "write it into `FOLDER`, not into the plugins folder", Destination: &f.dir},
	), "chibi plugin new my-filter --lang python --hook pre_api_tools", "chibi plugin new dice --tool")
}

// pluginNew writes a new plugin.
func (p *program) pluginNew(name string, f newFlags) error {
	plan := scaffold.Plan{Name: name, Lang: f.lang, Tool: f.tool}
	for _, point := range f.hooks {
		info, err := findPoint(point)
		if err != nil {
			return err
		}
		plan.Hooks = append(plan.Hooks, info)
	}
	files, err := plan.Files()
	if err != nil {
		return usageError{err}
	}
	s, err := p.openWithoutPlugins()
	if err != nil {
		return err
	}
	defer s.close()
	dir := s.pluginsDir()
	if f.dir != "" {
		dir = f.dir
	}
	target := filepath.Join(dir, name)
	if _, err := os.Lstat(target); err == nil {
		return fmt.Errorf("%s is there already; remove it, or take another name", target)
	}
	for _, file := range files {
		if err := disk.WriteFile(filepath.Join(dir, file.Path), []byte(file.Text), file.Executable); err != nil {
			return fmt.Errorf("writing the plugin: %w", err)
		}
	}
	if f.dir != "" {
		return p.say("Wrote %s; try it: chibi plugin check %s", target, target)
	}
	return p.say("Wrote %s; try it: chibi plugin check %s", target, name)
}

func (p *program) checkCommand(ctx context.Context) *cli.Command {
	var asJSON bool
	return withExample(leaf(ctx, "check", "[PLUGIN]...",
		"try plugins out with an example of each of their hooks, and say what is wrong; all plugins without a name",
		func(ctx context.Context, args []string) error {
			return p.pluginCheck(ctx, args, asJSON)
		}, jsonFlag(&asJSON)), "chibi plugin check my-filter", "chibi plugin check ./path/to/plugin --json")
}

// pluginCheck checks plugins; the error says that some have errors.
func (p *program) pluginCheck(ctx context.Context, names []string, asJSON bool) error {
	var reports []plugincheck.Report
	s, err := p.openWithoutPlugins()
	if err != nil {
		return err
	}
	defer s.close()
	p.askAgain = true
	if len(names) == 0 {
		entries, err := os.ReadDir(s.pluginsDir())
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("reading the plugins folder: %w", err)
		}
		for _, e := range entries {
			if s.looksLikePlugin(e.Name()) {
				names = append(names, e.Name())
			}
		}
	}
	passed := true
	for _, name := range names {
		r, err := s.check(ctx, name)
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
	if len(names) == 0 {
		p.screen.notef("there are no plugins in %s", s.pluginsDir())
	}
	if !passed {
		return errFindings
	}
	return nil
}

// looksLikePlugin says whether an entry of the plugins folder is meant to be
// one: not hidden, not disabled, not a text or data.
func (s *session) looksLikePlugin(name string) bool {
	info, err := os.Stat(filepath.Join(s.pluginsDir(), name))
	if err != nil {
		return true // a broken link
	}
	return !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".disabled") && filepath.Ext(name) != ".toml" &&
		filepath.Ext(name) != ".md" &&
		(info.IsDir() || info.Mode()&0o111 != 0 || filepath.Ext(name) != "")
}

// check checks one plugin: a path, a file of the plugins folder, or the name of
// a hook of another program.
func (s *session) check(ctx context.Context, name string) (plugincheck.Report, error) {
	leave, err := s.enterScratch("check")
	if err != nil {
		return plugincheck.Report{}, err
	}
	defer leave()
	path := filepath.Join(s.pluginsDir(), name)
	if strings.Contains(name, ":") {
		if err := s.loadPlugins(ctx); err != nil {
			return plugincheck.Report{}, err
		}
		for i := range s.loaded.Plugins {
			if s.loaded.Plugins[i].Name == name {
				return plugincheck.Loaded(ctx, &s.loaded.Plugins[i]), nil
			}
		}
		return plugincheck.Report{}, usage("there is no plugin %q; chibi plugin list names them all, and why some are left "+
			"out", name)
	}
	if _, err := os.Lstat(path); err != nil || strings.Contains(name, "/") {
		path = name
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return plugincheck.Report{}, err
	}
	set := s.config.Plugins
	prober, keep := s.probing()
	defer keep()
	if isRequired(s.config.Plugins.ByName[name]) {
		prober = nil // it is never left out
	}
	exec := plugin.Exec{Env: s.environment(s.hidesKey(name))} // what plugins say on standard error is part of findings
	return plugincheck.File(ctx, absolute, plugincheck.Options{
		Home: s.toldHome(), Exec: exec, Prober: prober, ProbeTimeout: ms(set.ProbeTimeoutMS),
		HookTimeout: ms(set.HookTimeoutMS),
	}), nil
}

// printReport prints what was found about one plugin.
func (p *program) printReport(r plugincheck.Report) {
	out := p.screen.Stdout()
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
	fmt.Fprintf(out, "%s  %s  %s\n", p.paint(mark, fmt.Sprintf("%-4s", word)), term.Name(r.Plugin),
		strings.Join(about, "; "))
	for _, f := range r.Findings {
		fmt.Fprintf(out, "      %s %s: %s\n", p.paint(string(f.Level), string(f.Level)),
			term.Line(f.Where), term.Line(f.Text))
	}
}

func (p *program) watchCommand(ctx context.Context) *cli.Command {
	var hook string
	return withExample(leaf(ctx, "watch", "PLUGIN", "check a plugin each time it is saved, until Ctrl-C",
		func(ctx context.Context, args []string) error {
			return p.pluginWatch(ctx, args[0], hook)
		}, &cli.StringFlag{Name: "hook", Usage: "fire this `POINT` each time too, with its example", Destination: &hook}),
		"chibi plugin watch my-filter --hook pre_api_tools")
}

// pluginWatch checks a plugin whenever its files change. It looks at them every
// now and then: editors save in too many ways to be told.
func (p *program) pluginWatch(ctx context.Context, name, hook string) error {
	var info hookpoints.Info
	if hook != "" {
		var err error
		if info, err = findPoint(hook); err != nil {
			return err
		}
	}
	s, err := p.openWithoutPlugins()
	if err != nil {
		return err
	}
	defer s.close()
	if s.stamp(name) == "" {
		return usage("there is no plugin %q in %s, and no such file", name, s.pluginsDir())
	}
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for seen := ""; ; {
		if now := s.stamp(name); now != seen {
			seen = now
			fmt.Fprintf(p.screen.Stdout(), "-- %s\n", time.Now().Format("15:04:05"))
			if err := p.pluginCheck(ctx, []string{name}, false); err != nil && !errors.Is(err, errFindings) {
				return err
			}
			if hook != "" {
				if err := p.fireInScratch(ctx, info, name); err != nil && ctx.Err() == nil {
					p.screen.errorf("%v", err)
				}
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// fireInScratch fires a point with its example at one plugin, in a scratch home.
func (p *program) fireInScratch(ctx context.Context, info hookpoints.Info, name string) error {
	leave, err := p.enterScratch("check")
	if err != nil {
		return err
	}
	defer leave()
	return p.hookFire(ctx, string(info.Name), fireFlags{plugins: []string{name}})
}

// stamp describes the files of a plugin as they are now.
func (s *session) stamp(name string) string {
	path := filepath.Join(s.pluginsDir(), name)
	if _, err := os.Stat(path); err != nil {
		path = name
	}
	var b strings.Builder
	filepath.WalkDir(path, func(file string, d os.DirEntry, err error) error {
		if err != nil || strings.HasPrefix(d.Name(), ".") && file != path {
			return nil
		}
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			fmt.Fprintln(&b, file, info.Size(), info.ModTime().UnixNano(), info.Mode())
		}
		return nil
	})
	return b.String()
}
