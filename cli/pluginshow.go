package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/installed"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/dustin/go-humanize"
)

// showPlugin shows what a plugin can see and do.
func (s *session) showPlugin(ctx context.Context, name string) error {
	out := s.screen.Stdout()
	path := filepath.Join(s.pluginsDir(), name)
	if strings.Contains(name, ":") {
		return s.showHook(ctx, name)
	}
	if _, err := os.Lstat(path); err != nil {
		return usage("there is no plugin %q in %s; chibi plugin list names them all", name, s.pluginsDir())
	}
	fmt.Fprintf(out, "%s\n  file   %s\n", name, path)
	s.showOrigin(name, path)
	opts := s.nativeOptions()
	override := opts.Overrides[name]
	override.Disabled = false
	opts.Only, opts.Overrides = []string{name}, map[string]plugin.Override{name: override}
	opts.AllowLinks = append(opts.AllowLinks, "/")
	loaded, err := native.Load(ctx, opts)
	if err != nil {
		return err
	}
	for _, left := range loaded.LeftOut {
		fmt.Fprintf(out, "  it cannot be used: %s\n", left.Reason)
	}
	for i := range loaded.Plugins {
		s.showPowers(&loaded.Plugins[i])
	}
	return nil
}

// showHook shows a hook of another program.
func (s *session) showHook(ctx context.Context, name string) error {
	if err := s.loadPlugins(ctx); err != nil {
		return err
	}
	for i := range s.loaded.Plugins {
		if p := &s.loaded.Plugins[i]; p.Name == name {
			fmt.Fprintf(s.screen.Stdout(), "%s\n  file   %s\n", name, p.Origin.Path)
			s.showPowers(p)
			return nil
		}
	}
	for _, l := range s.loaded.LeftOut {
		if l.Name == name {
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
	list, err := installed.Read(s.home)
	if err != nil {
		s.notice(err.Error())
		return
	}
	if one, known := list[name]; known {
		fmt.Fprintf(out, "  from   %s, installed %s\n", one.Source, humanize.Time(one.At))
		if changed(one, path) {
			fmt.Fprintf(out, "  note   it has changed since it was installed, its hash was %s\n", one.SHA256[:min(16, len(one.SHA256))])
		}
	}
}

// changed says whether an installed plugin is not as it was.
func changed(one installed.Plugin, path string) bool {
	hash, err := installed.Hash(path)
	return err == nil && hash != one.SHA256
}

// showPowers says in words what a plugin can see and do.
func (s *session) showPowers(p *plugin.Plugin) {
	out := s.screen.Stdout()
	for _, t := range p.Tools {
		fmt.Fprintf(out, "  tool   %s: %s\n", t.Spec().Name, t.Spec().Description)
	}
	for _, name := range p.Hooks {
		info, _ := hookpoints.Find(name)
		var sees []string
		for _, f := range hookpoints.Fields(info.Payload) {
			sees = append(sees, f.Name)
		}
		power := powers(info)
		if p.GuardsAt(name) {
			power = "can block (guard)"
		}
		fmt.Fprintf(out, "  hook   %s: %s; it sees %s\n", name, power, strings.Join(sees, ", "))
	}
	if p.OnFailure == plugin.Block {
		fmt.Fprintln(out, "  note   where it can block, its failure blocks")
	}
	fmt.Fprintln(out, "  note   as every program that you start, it can read and change your files")
}
