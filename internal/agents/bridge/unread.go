package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// unreadError means that a plugin whose failure blocks cannot decide about an event, because chibi cannot read the
// event.
type unreadError struct {
	plugin string
	why    error
}

// Error names the plugin.
func (e *unreadError) Error() string {
	return fmt.Sprintf("the guard %q cannot decide: %v", e.plugin, e.why)
}

// Unwrap returns why.
func (e *unreadError) Unwrap() error { return e.why }

// unread returns the error for an event that chibi cannot read, for example because arguments nest too deep, which
// a model can bring about. If a guard had to decide about the event, the error names the guard.
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
	return cmp.Or(r.unasked(why), why)
}

// unasked returns the error for the first plugin that has to decide about the event and whose failure blocks there;
// nil if there is none.
func (r *run) unasked(why error) error {
	points := (agents.Bridged{Dialect: r.Agent}).PointsAt(r.event)
	if r.moment.Text(engine.ToolCategory) == string(tools.CategoryShell) && !asksElsewhere(r.Agent, r.event, r.moment) {
		points = append(points, hookpoints.PreShellExec.Name)
	}
	for _, p := range r.session.Loaded.Plugins {
		for _, at := range points {
			if p.Subscribes(at) && p.FailureAt(at) == plugin.Block {
				return &unreadError{p.Name, why}
			}
		}
	}
	return nil
}

// odd tells the person of members that have a different shape than chibi knows; plugins get them unchanged. It
// returns an error if a plugin that decides by them must decide.
func (r *run) odd() error {
	if len(r.moment.Odd) == 0 {
		return nil
	}
	what := errors.New(r.event.Name + " of " + r.Agent.Title + ": " + strings.Join(r.moment.Odd, "; "))
	r.told.say(what.Error() + "; plugins see the payload as it is")
	if !r.event.Kind.Refuses() {
		return nil
	}
	if r.FailClosed {
		return what
	}
	return r.unasked(what)
}
