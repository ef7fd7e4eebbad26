package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/term/screen"
	"github.com/chibi-host/chibi/internal/workbench/installed"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/dustin/go-humanize"
)

// showPlugin shows what a plugin can see and do.
func (s *session) showPlugin(ctx context.Context, name string) error {
	if strings.Contains(name, ":") {
		return s.showHook(ctx, name)
	}
	runs, err := s.describePlugin(name)
	if err != nil {
		return err
	}
	_, err = s.askPlugin(ctx, name, runs)
	return err
}

// describePlugin shows what is known of a plugin without running it, and says
// whether every run of chibi runs it already.
func (s *session) describePlugin(name string) (runs bool, err error) {
	out := s.screen.Stdout()
	path := filepath.Join(s.Loader().Dir(), name)
	if _, err := os.Lstat(path); err != nil || !isFileName(name) {
		return false, usage("there is no plugin %q in %s; chibi plugin list names them all", name, s.Loader().Dir())
	}
	fmt.Fprintf(out, "%s\n  file   %s\n", term.Name(name), term.Name(path))
	s.showOrigin(name, path)
	_, leftOut := native.Find(s.Loader().Native(), name)
	if leftOut != nil {
		fmt.Fprintf(out, "  note   %s\n", term.Line(leftOut.Reason))
	}
	if real, unusable := native.Find(s.anyway(name), name); unusable == nil {
		showExecutable(out, real)
	}
	return leftOut == nil, nil
}

// anyway are options by which a plugin is found although it is disabled, or a link
// that is not allowed yet.
func (s *session) anyway(name string) native.Options {
	opts := s.Loader().Native()
	override := opts.Overrides[name]
	override.Disabled = false
	opts.Overrides[name] = override
	own := filepath.Join(s.Loader().Dir(), name)
	for _, path := range []string{own, filepath.Join(own, name)} {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			opts.AllowLinks = append(opts.AllowLinks, real)
		}
	}
	return opts
}

// askPlugin asks a plugin what it can do, and shows it. That runs its code: unless
// every run of chibi does so, the person is asked first.
func (s *session) askPlugin(ctx context.Context, name string, runs bool) (asked bool, err error) {
	opts := s.anyway(name)
	real, unusable := native.Find(opts, name)
	if unusable != nil {
		return false, nil // the reason was shown
	}
	if !runs && !s.opts.yes {
		if !screen.IsTerminal(s.stdin) {
			return false, s.say("It was not run, so what it can do is not known; --yes runs it")
		}
		if ok, err := s.env.Confirm(ctx, fmt.Sprintf("Run %s --schema, to ask it what it can do? [y/N] ",
			term.Name(real))); err != nil || !ok {
			return false, err
		}
	}
	prober, keep := s.Loader().Prober()
	opts.Prober = prober
	loaded, err := native.Load(ctx, opts)
	keep()
	if err != nil {
		return false, err
	}
	s.showLoaded(name, loaded)
	return true, nil
}

// showLoaded shows what became of one of the plugins that were loaded. The others
// may have the names of its tools.
func (s *session) showLoaded(name string, loaded plugin.Loaded) {
	out := s.screen.Stdout()
	for _, left := range loaded.LeftOut {
		if left.Name == name {
			fmt.Fprintf(out, "  it cannot be used: %s\n", term.Line(left.Reason))
		}
	}
	for i := range loaded.Plugins {
		if loaded.Plugins[i].Name == name {
			s.showPowers(&loaded.Plugins[i])
		}
	}
	for _, n := range loaded.Notices {
		if n.Plugin == name {
			fmt.Fprintf(out, "  note   %s\n", term.Line(n.Text))
		}
	}
}

// maxDescribed bounds how much of a plugin's file is looked at.
const maxDescribed = 1 << 20

// showExecutable shows what would run: the file, its interpreter, and which hooks
// its text names.
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
	for _, info := range hookpoints.All() {
		if strings.Contains(string(text), string(info.Name)) {
			names = append(names, string(info.Name))
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(out, "  text   names %s\n", strings.Join(names, ", "))
	}
}

// showHook shows a hook of another program.
func (s *session) showHook(ctx context.Context, name string) error {
	if err := s.Load(ctx); err != nil {
		return err
	}
	for i := range s.Loaded.Plugins {
		if p := &s.Loaded.Plugins[i]; p.Name == name {
			fmt.Fprintf(s.screen.Stdout(), "%s\n  file   %s\n", term.Name(name), term.Name(p.Origin.Path))
			s.showPowers(p)
			return nil
		}
	}
	for _, l := range s.Loaded.LeftOut {
		switch {
		case l.Name == name && l.Untrusted:
			return fmt.Errorf("%s is left out: %s; approve it with: chibi trust", name, l.Reason)
		case l.Name == name:
			return fmt.Errorf("%s is left out: %s", name, l.Reason)
		}
	}
	return usage("there is no plugin %q; chibi plugin list names them all", name)
}

// showOrigin says where an installed plugin came from, and whether it changed.
func (s *session) showOrigin(name, path string) {
	out := s.screen.Stdout()
	if hash, err := installed.Hash(path); err == nil {
		fmt.Fprintf(out, "  hash   %s\n", hash[:16])
	}
	list, err := installed.Read(s.Home)
	if err != nil {
		s.notice(err.Error())
		return
	}
	if one, known := list[name]; known {
		fmt.Fprintf(out, "  from   %s, installed %s\n", term.Name(one.Source), humanize.Time(one.At))
		if app.Changed(one, path) {
			fmt.Fprintf(out, "  note   it has changed since it was installed, its hash was %s\n",
				one.SHA256[:min(16, len(one.SHA256))])
		}
	}
}

// showPowers says in words what a plugin can see and do.
func (s *session) showPowers(p *plugin.Plugin) {
	out := s.screen.Stdout()
	for _, t := range p.Tools {
		fmt.Fprintf(out, "  tool   %s: %s\n", t.Spec().Name, term.Line(t.Spec().Description))
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
