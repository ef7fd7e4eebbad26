package plugin

import (
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/hookpoints"
)

// Validate returns the mistakes in the definitions of the host's plugins, joined, or nil without
// mistakes: a plugin without a handler for one of its Hooks, or with a nil function, and one for
// which [New] got two handlers for one point. They are mistakes of the program, not failures of a
// plugin: firing such a point is an error, too. A nil host has none.
func (h *Host) Validate() error {
	var wrong []error
	if h != nil {
		for i := range h.Plugins {
			for _, point := range h.Plugins[i].Hooks {
				wrong = append(wrong, h.Plugins[i].mistakeAt(point))
			}
		}
	}
	return errors.Join(wrong...)
}

// mistakeAt returns what is wrong with the plugin's handler for one of its Hooks.
func (p *Plugin) mistakeAt(point hookpoints.Name) error {
	handler := p.Handler
	if bounded, ok := handler.(until); ok {
		handler = bounded.handler
	}
	if handlers, ok := handler.(Handlers); ok {
		if handler, ok = handlers[point]; !ok {
			return nil // it has no opinion there
		}
	}
	function, isFunction := handler.(HandlerFunc)
	switch {
	case handler == nil || isFunction && function == nil:
		return fmt.Errorf("plugin %q has no handler for %s: it is nil; set it, or take the point out of its Hooks", p.Name,
			point)
	case handler == twice{}:
		return fmt.Errorf("plugin %q has two handlers for %s; make one function of them, or two plugins", p.Name, point)
	}
	return nil
}
