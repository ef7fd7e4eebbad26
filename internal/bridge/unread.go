package bridge

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/plugin"
)

// unreadError means that a plugin whose failure blocks cannot be asked about an event, since that
// cannot be read.
type unreadError struct {
	plugin string
	why    error
}

// Error names the plugin.
func (e *unreadError) Error() string {
	return fmt.Sprintf("the guard %q cannot be asked: %v", e.plugin, e.why)
}

// Unwrap returns why.
func (e *unreadError) Unwrap() error { return e.why }

// unread returns the error for an event that cannot be read, for example since arguments nest too
// deep, which a model can bring about: that of a guard that had to be asked, if there is one.
func (r *run) unread(ctx context.Context, why error) (err error) {
	if !r.event.Kind.Refuses() {
		return why
	}
	r.bridge.Run, r.bridge.Session = sessionOf(r.moment)
	if r.session, err = r.open(ctx); err != nil {
		return err
	}
	if err := app.GuardsOf(r.session).Admit(); err != nil {
		return err
	}
	for _, p := range r.session.Loaded.Plugins {
		if p.OnFailure == plugin.Block || slices.Contains(slices.Collect(maps.Values(p.OnFailureAt)), plugin.Block) {
			return &unreadError{p.Name, why}
		}
	}
	return why
}
