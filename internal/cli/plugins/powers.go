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
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/tools"
)

// optionsToShow returns options with which a plugin is loaded although it is disabled, or
// a link that is not allowed yet.
func optionsToShow(opts native.Options, name string) native.Options {
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
	real, unusable := native.Find(optionsToShow(s.Loader().Native(), name), name)
	if unusable != nil {
		return false, nil // the reason was shown
	}
	ok, err := env.Confirm(ctx, fmt.Sprintf("Run %s --schema, to ask it what it can do? [y/N] ", term.Name(real)))
	if errors.Is(err, command.ErrNoTerminal) {
		return false, env.Out.Say("chibi did not run it, so it cannot know what it can do; --yes runs it")
	}
	if err != nil || !ok {
		return false, err
	}
	return true, showSchema(ctx, env, s, name)
}

// showSchema asks a plugin what it can do, which runs its code, and shows it.
func showSchema(ctx context.Context, env *command.Env, s *app.Session, name string) error {
	opts := optionsToShow(s.Loader().Native(), name)
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
