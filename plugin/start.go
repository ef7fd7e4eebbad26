package plugin

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/hookpoints"
)

// Refusal is the error of a handler that refuses to let the run start, at on_start, where
// answers have no effect. At other points it is an ordinary failure.
type Refusal struct{ Err error }

// Error returns the reason.
func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap returns the reason.
func (r *Refusal) Unwrap() error { return r.Err }

// StartError means that a run must not continue: at on_start a plugin refused it, or a
// plugin failed whose failure blocks there.
type StartError struct {
	// Plugin is the plugin's name, Event its protocol's name for on_start.
	Plugin, Event string
	// Err is its reason, or how it failed.
	Err error
}

// Error returns the plugin's name and its reason.
func (e *StartError) Error() string {
	return fmt.Sprintf("plugin %q refused the run at %s: %v", e.Plugin, e.Event, e.Err)
}

// Unwrap returns the plugin's reason.
func (e *StartError) Unwrap() error { return e.Err }

// stops reports whether a failure ends the run: at on_start a refusal does, and a failure does that
// is set to block just there.
func (r *reply) stops(err error) bool {
	var refusal *Refusal
	return r.record.Point == hookpoints.OnStart.Name &&
		(errors.As(err, &refusal) || r.plugin.OnFailureAt[hookpoints.OnStart.Name] == Block)
}

// stopped returns the error of the first reply that ends the run, nil if none does.
func stopped(replies []*reply) error {
	for _, r := range replies {
		if r.stop != nil {
			return &StartError{Plugin: r.plugin.Name, Err: r.stop,
				Event: cmp.Or(r.record.Event, string(r.record.Point))}
		}
	}
	return nil
}
