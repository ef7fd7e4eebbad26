package plugins

import (
	"context"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/plugin"
)

// isForeign reports whether a name is that of a hook of another program, such as
// kodelet:guard.
func isForeign(name string) bool { return strings.Contains(name, ":") }

// findForeign finds a hook of another program: as a loaded plugin, or as one that is
// left out.
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
