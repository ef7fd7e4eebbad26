package dialect

import (
	"slices"
	"strings"
)

// All returns the dialects of all agents, in the order in which their hooks are asked.
func All() []Dialect {
	return []Dialect{claude(), codex(), copilot(), crush(), cursor(), gemini(), qwen()}
}

// Names returns the names of all dialects, in that order.
func Names() (names []string) {
	for _, d := range All() {
		names = append(names, d.Name)
	}
	return names
}

// ByName returns the dialect of an agent by its name or an alias, such as "claude" or
// "claude-code".
func ByName(name string) (Dialect, bool) {
	for _, d := range All() {
		if d.Name == name || slices.Contains(d.Aliases, name) {
			return d, true
		}
	}
	return Dialect{}, false
}

// Event returns an event by its name or an alias.
func (d Dialect) Event(name string) (Event, bool) {
	for _, e := range d.Events {
		if d.isNamed(e, name) {
			return e, true
		}
	}
	return Event{}, false
}

// isNamed reports whether a name is that of an event.
func (d Dialect) isNamed(e Event, name string) bool {
	if d.Shape.AnyCase {
		plain := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
		return plain(e.Name) == plain(name)
	}
	return e.Name == name || slices.Contains(e.Aliases, name)
}
