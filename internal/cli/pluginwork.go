package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/hookdoc"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/workbench/check"
	"github.com/chibi-host/chibi/internal/workbench/firing"
	"github.com/chibi-host/chibi/internal/workbench/scaffold"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools/builtin"
	"github.com/urfave/cli/v2"
)

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
		&cmdline.Flag{Name: "hook", Takes: cmdline.Word("POINT", cmdline.Point), Into: cmdline.List(&f.hooks),
			About: "ask for the hook POINT; may be given several times"},
		&cli.BoolFlag{Name: "tool", Usage: "it is a tool: its description asks for what the model should know",
			DisableDefaultText: true, Destination: &f.tool},
		&cli.StringFlag{Name: "dir", Usage: "write it into `FOLDER`, not into the plugins folder", Destination: &f.dir},
	), "chibi plugin new my-filter --lang python --hook pre_api_tools", "chibi plugin new dice --tool")
}

// pluginNew writes a new plugin.
func (p *program) pluginNew(name string, f newFlags) error {
	if f.tool && slices.Contains(builtin.Names(), name) {
		return usage("chibi has a tool %q built in, which would be used instead; take another name", name)
	}
	plan := scaffold.Plan{Name: name, Lang: f.lang, Tool: f.tool}
	for _, point := range f.hooks {
		info, err := command.FindPoint(point)
		if err != nil {
			return err
		}
		plan.Hooks = append(plan.Hooks, info)
	}
	files, err := plan.Files()
	if err != nil {
		return app.UsageError{Err: err}
	}
	s, err := p.openWithoutPlugins()
	if err != nil {
		return err
	}
	defer s.Close()
	dir := s.Loader().Dir()
	if f.dir != "" {
		dir = f.dir
	}
	target := filepath.Join(dir, name)
	if _, err := os.Lstat(target); err == nil {
		return fmt.Errorf("%s is there already; remove it, or take another name", target)
	}
	for _, file := range files {
		if err := disk.WriteFile(filepath.Join(dir, file.Path), []byte(file.Text), file.Mode); err != nil {
			return fmt.Errorf("writing the plugin: %w", err)
		}
	}
	if f.dir != "" {
		return p.say("Wrote %s; try it: chibi plugin check %s", target, target)
	}
	return p.say("Wrote %s; try it: chibi plugin check %s", target, name)
}

// printReport prints what was found about one plugin.
func (p *program) printReport(r check.Report) {
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
		if info, err = command.FindPoint(hook); err != nil {
			return err
		}
	}
	s, err := p.openWithoutPlugins()
	if err != nil {
		return err
	}
	defer s.Close()
	if s.stamp(name) == "" {
		return usage("there is no plugin %q in %s, and no such file", name, s.Loader().Dir())
	}
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for seen := ""; ; {
		if now := s.stamp(name); now != seen {
			seen = now
			fmt.Fprintf(p.screen.Stdout(), "-- %s\n", time.Now().Format("15:04:05"))
			if err := p.watched(ctx, name, info); err != nil && ctx.Err() == nil {
				p.out.Errorf("%v", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// watched checks a plugin, and fires a point at it if one is given.
func (p *program) watched(ctx context.Context, name string, info hookpoints.Info) error {
	return p.checking(ctx, []string{name}, func(c *checks) error {
		t := c.targets[0]
		r, err := c.check(ctx, t)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		p.printReport(r)
		folder, err := c.folder(ctx, t)
		if err != nil || info.Name == "" || folder.Plugin(t.name) == nil {
			return err
		}
		host := &plugin.Host{Plugins: []plugin.Plugin{*folder.Plugin(t.name)}}
		fired := firing.Firing{Info: info, Payload: hookdoc.Example(info)}
		if err := fired.Fire(ctx, host); err != nil {
			return err
		}
		return fired.Print(p.screen.Stdout())
	})
}

// stamp describes the files of a plugin as they are now.
func (s *session) stamp(name string) string {
	path := filepath.Join(s.Loader().Dir(), name)
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
