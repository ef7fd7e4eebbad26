package plugins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/workbench/installed"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/tools"
	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"
)

func showCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "show", Args: "PLUGIN",
		About:    "show what a plugin can see and do, where it came from, and whether it has changed",
		Flags:    []cli.Flag{env.YesFlag("do not ask for confirmation")},
		Examples: []string{"chibi plugin show my-filter"},
		Run:      func(ctx context.Context, args []string) error { return show(ctx, env, args[0]) },
	})
}

func show(ctx context.Context, env *command.Env, name string) error {
	s, err := openAskingAgain(ctx, env, app.ToRead)
	if err != nil {
		return err
	}
	defer s.Close()
	if isForeign(name) {
		return showForeign(ctx, env, s, name)
	}
	runs, err := describe(env, s, name)
	switch {
	case err != nil:
		return err
	case runs:
		return showSchema(ctx, env, s, name)
	}
	_, err = ask(ctx, env, s, name)
	return err
}

func showForeign(ctx context.Context, env *command.Env, s *app.Session, name string) error {
	p, left, err := findForeign(ctx, s, name)
	switch {
	case err != nil:
		return err
	case left != nil:
		return fmt.Errorf("%s is left out: %s", name, whyLeftOut(left.Reason, left.Untrusted))
	}
	out := env.Out.Screen.Stdout()
	fmt.Fprintf(out, "%s\n  file   %s\n", term.Name(name), term.Name(p.Origin.Path))
	showPowers(out, p)
	return nil
}

// describe shows what is known of a plugin without running it, and reports whether
// every run of chibi runs it already.
func describe(env *command.Env, s *app.Session, name string) (runs bool, err error) {
	out := env.Out.Screen.Stdout()
	dir := directory(env, s)
	if !dir.Has(name) {
		return false, command.Usage("there is no plugin %q in %s; chibi plugin list names them all", name, dir.Path)
	}
	fmt.Fprintf(out, "%s\n  file   %s\n", term.Name(name), term.Name(dir.File(name)))
	showOrigin(env, dir, name)
	_, leftOut := native.Find(s.Loader().Native(), name)
	if leftOut != nil {
		fmt.Fprintf(out, "  note   %s\n", term.Line(leftOut.Reason))
	}
	if real, unusable := native.Find(optionsToShow(s, name), name); unusable == nil {
		showExecutable(out, real)
	}
	return leftOut == nil, nil
}

func showOrigin(env *command.Env, dir installed.Dir, name string) {
	out := env.Out.Screen.Stdout()
	path := dir.File(name)
	if hash, err := installed.Hash(path); err == nil {
		fmt.Fprintf(out, "  hash   %s\n", hash[:16])
	}
	list, err := installed.Read(dir.Home)
	if err != nil {
		env.Out.Notice(err.Error())
		return
	}
	if one, known := list[name]; known {
		fmt.Fprintf(out, "  from   %s, installed %s\n", term.Name(one.Source), humanize.Time(one.At))
		if one.Changed(path) {
			fmt.Fprintf(out, "  note   it has changed since it was installed, its hash was %s\n",
				one.SHA256[:min(16, len(one.SHA256))])
		}
	}
}

const maxDescribed = 1 << 20

func showExecutable(out io.Writer, path string) {
	f, err := disk.OpenRegular(path)
	if err != nil {
		return
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxDescribed))
	if err != nil {
		return
	}
	how := "a program"
	if line, _, _ := strings.Cut(string(text), "\n"); strings.HasPrefix(line, "#!") {
		how = "a script for " + strings.TrimSpace(strings.TrimPrefix(line, "#!"))
	}
	fmt.Fprintf(out, "  runs   %s (%s)\n", term.Name(path), term.Name(how))
	var names []string
	for _, name := range hookpoints.Names() {
		if strings.Contains(string(text), name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(out, "  text   names %s\n", strings.Join(names, ", "))
	}
}

// isForeign reports whether a name is that of a hook of another program, such as
// kodelet:guard.
func isForeign(name string) bool { return strings.Contains(name, ":") }

func findForeign(ctx context.Context, s *app.Session, name string) (*plugin.Plugin, *plugin.SkippedPlugin, error) {
	if err := s.Load(ctx); err != nil {
		return nil, nil, err
	}
	for i := range s.Loaded.Plugins {
		if p := &s.Loaded.Plugins[i]; p.Name == name {
			return p, nil, nil
		}
	}
	for i := range s.Loaded.Skipped {
		if left := &s.Loaded.Skipped[i]; left.Name == name {
			return nil, left, nil
		}
	}
	return nil, nil, command.NoPlugin(name)
}

func whyLeftOut(reason string, untrusted bool) string {
	if untrusted {
		return reason + "; approve it with: chibi trust"
	}
	return reason
}

// optionsToShow returns options with which a plugin is loaded although it is disabled, or
// a link that is not allowed yet.
func optionsToShow(s *app.Session, name string) native.Options {
	opts := s.Loader().Native()
	override := opts.Overrides[name]
	override.Disabled = false
	opts.Overrides[name] = override
	own := filepath.Join(opts.Dir, name)
	for _, path := range []string{own, filepath.Join(own, name)} {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			opts.AllowLinks = append(opts.AllowLinks, real)
		}
	}
	return opts
}

func ask(ctx context.Context, env *command.Env, s *app.Session, name string) (asked bool, err error) {
	real, unusable := native.Find(optionsToShow(s, name), name)
	if unusable != nil {
		return false, nil // the reason was shown
	}
	ok, err := env.Confirm(ctx, fmt.Sprintf("Run %s --schema, to ask it what it can do? [y/N] ", term.Name(real)))
	if errors.Is(err, command.ErrNoTerminal) {
		return false, env.Out.Say("It was not run, so what it can do is not known; --yes runs it")
	}
	if err != nil || !ok {
		return false, err
	}
	return true, showSchema(ctx, env, s, name)
}

// showSchema asks a plugin what it can do, which runs its code, and shows it.
func showSchema(ctx context.Context, env *command.Env, s *app.Session, name string) error {
	opts := optionsToShow(s, name)
	prober, keep := s.Loader().Prober()
	opts.Prober = prober
	loaded, err := native.Load(ctx, opts)
	keep()
	if err != nil {
		return err
	}
	showLoaded(env.Out.Screen.Stdout(), name, loaded)
	return nil
}

// showLoaded shows one of the plugins that were loaded. The others were loaded too,
// because one that comes before it may have a tool of the same name.
func showLoaded(out io.Writer, name string, loaded plugin.Loaded) {
	for _, left := range loaded.Skipped {
		if left.Name == name {
			fmt.Fprintf(out, "  it cannot be used: %s\n", term.Line(left.Reason))
		}
	}
	for i := range loaded.Plugins {
		if loaded.Plugins[i].Name == name {
			showPowers(out, &loaded.Plugins[i])
		}
	}
	for _, n := range loaded.Notices {
		if n.Plugin == name {
			fmt.Fprintf(out, "  note   %s\n", term.Line(n.Text))
		}
	}
}

// kindOf says what kind of thing a tool does, "" if its schema does not say.
func kindOf(t tools.Spec) string {
	var says []string
	switch {
	case t.Category != "" && t.Subject != "":
		says = append(says, fmt.Sprintf("%s, by its %s", t.Category, term.Name(t.Subject)))
	case t.Category != "":
		says = append(says, string(t.Category))
	}
	if t.Parallel {
		says = append(says, "runs beside other calls")
	}
	if len(says) == 0 {
		return ""
	}
	return " (" + strings.Join(says, "; ") + ")"
}

func showPowers(out io.Writer, p *plugin.Plugin) {
	for _, t := range p.Tools {
		fmt.Fprintf(out, "  tool   %s%s: %s\n", t.Spec().Name, kindOf(t.Spec()), term.Line(t.Spec().Description))
	}
	if len(p.Tools) == 0 {
		fmt.Fprintln(out, "  tool   none, it only has hooks")
	}
	for _, name := range p.Hooks {
		info, _ := hookpoints.Find(name)
		var sees []string
		for _, f := range hookpoints.Fields(info.Payload) {
			sees = append(sees, f.Name)
		}
		power := command.Powers(info)
		if p.GuardsAt(name) {
			power = "can block (guard)"
		}
		fmt.Fprintf(out, "  hook   %s: %s; it sees %s\n", name, power, strings.Join(sees, ", "))
	}
	if p.OnFailure == plugin.Block {
		fmt.Fprintln(out, "  note   where it can block, its failure blocks")
	}
	fmt.Fprintln(out, "  note   like every program that you start, it can read and change your files")
}
