package recipes

import (
	"maps"
	"slices"

	"github.com/chibi-host/chibi/plugin"
)

// Recipe is one recipe. It must not be changed.
type Recipe struct {
	// Name is its name: the path of its file in its directory, without ".md".
	Name string
	// Path is its file; "" for one that is built in.
	Path string
	// Title and Description are for people.
	Title, Description string
	// AllowedTools names the tools that it may use; nil: all, empty: none.
	AllowedTools []string
	// AllowedCommands are patterns for the commands that those may run; "*"
	// stands for any text. Empty: any.
	AllowedCommands []string
	// Arguments are the arguments of its body, by name.
	Arguments map[string]Argument
	// Hooks are the built-in handlers that it brings, by event.
	Hooks map[string]Hook
	// Body is the template.
	Body string
	// Notes are notes about its front matter and its location.
	Notes []Note

	unapproved error // why its commands may not run; nil: they may
}

// Argument is an argument of a body.
type Argument struct {
	// Description is for people.
	Description string
	// Default is the value where none is given; nil: there is none.
	Default *string
}

// Hook is a built-in handler that a recipe brings for an event.
type Hook struct {
	// Handler names it in the [Registry].
	Handler string
	// Once means that it acts at most once.
	Once bool
}

// Approved is nil if the recipe may run commands: it is the person's own, or
// was approved. Otherwise it is why not.
func (r *Recipe) Approved() error { return r.unapproved }

// Origin is the protocol of the in-process plugins that recipes bring.
const Origin = "recipe"

// Plugins makes the handlers that the recipe brings, to be asked after all
// other plugins. Errors are unknown handlers and events.
func (r *Recipe) Plugins(known Registry) ([]plugin.Plugin, error) {
	var list []plugin.Plugin
	for _, event := range slices.Sorted(maps.Keys(r.Hooks)) {
		hook := r.Hooks[event]
		handlers, err := known.make(event, hook)
		if err != nil {
			return nil, inFile(r.Path, 0, err)
		}
		p := plugin.New("recipe:"+r.Name+":"+hook.Handler, handlers)
		p.Origin, p.Events = plugin.Origin{Protocol: Origin, Path: r.Path}, named(handlers, event)
		list = append(list, p)
	}
	return list, nil
}
