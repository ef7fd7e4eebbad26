package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/internal/schemas"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/oneshot"
)

// schemaCacheVar is the variable with which a person turns off the cache of schemas for one
// run.
const schemaCacheVar = "CHIBI_SCHEMA_CACHE"

// Prober returns a prober, which asks executables what they are. It remembers their answers in the
// home; keep writes it there, and reports what a person should know.
func (l *Loader) Prober() (prober *oneshot.Prober, keep func()) {
	opts := l.remembering()
	dir, err := filepath.EvalSymlinks(l.Dir())
	if err != nil || opts.Elsewhere {
		dir = ""
	}
	memory := schemas.Open(l.home, opts)
	prober = oneshot.NewProber(memory, l.config.Plugins.Parallel)
	return prober, func() {
		for _, n := range prober.Notices() {
			l.notice(n.String())
		}
		if err := memory.Save(dir); err != nil {
			l.notice(fmt.Sprintf("chibi cannot store the descriptions of plugins, so it runs each with --schema at every "+
				"start: %v", err))
		}
	}
}

// remembering returns how the answers of executables are remembered.
func (l *Loader) remembering() schemas.Options {
	opts := schemas.Options{Use: schemas.Use(l.config.Plugins.SchemaCache), AskAgain: l.opts.Plugins.AskAgain,
		Elsewhere: l.told != l.home}
	if os.Getenv(schemaCacheVar) == string(schemas.Off) {
		opts.Use = schemas.Off
	}
	return opts
}

// Differed returns the loaded plugins that described themselves in different ways
// although their files did not change, and so are asked at every start.
func (l *Loader) Differed(plugins []plugin.Plugin) (found []plugin.Plugin) {
	opts := l.remembering()
	if opts.Use == schemas.Off {
		return nil
	}
	paths := schemas.Open(l.home, opts).Differed()
	for _, p := range plugins {
		real, err := filepath.EvalSymlinks(p.Origin.Path)
		if err == nil && slices.Contains(paths, real) || slices.Contains(paths, p.Origin.Path) {
			found = append(found, p)
		}
	}
	return found
}

// probe finds the plugins of a session. It checks remembered answers when there is time for it.
func probe(ctx context.Context, s *Session) ([]plugin.Loaded, error) {
	s.checks.End()
	l := s.Loader()
	prober, keep := l.Prober()
	defer keep()
	s.checks = schemas.NewChecks(prober, keep)
	return l.all(ctx, prober)
}
