package engine

import (
	"slices"
	"strings"
)

// agent is an agent whose table is made when it is needed: tables are large.
type agent struct {
	names []string // the first is that of the Dialect, the others are its Aliases
	table func() Dialect
}

// agents lists all agents, in the order in which their hooks are asked.
func agents() []agent {
	return []agent{
		{[]string{"claude", "claude-code"}, claude}, {[]string{"codex", "codex-cli"}, codex},
		{[]string{"copilot", "copilot-cli", "github-copilot"}, copilot}, {[]string{"crush"}, crush},
		{[]string{"cursor", "cursor-cli", "cursor-agent"}, cursor},
		{[]string{"gemini", "gemini-cli"}, gemini}, {[]string{"qwen", "qwen-code"}, qwen},
	}
}

// All returns the dialects of all agents, in the order in which their hooks are asked.
func All() (list []Dialect) {
	for _, a := range agents() {
		list = append(list, a.table())
	}
	return list
}

// Names returns the names of all dialects, in that order.
func Names() (names []string) {
	for _, a := range agents() {
		names = append(names, a.names[0])
	}
	return names
}

// NameOf returns the name of an agent by its name or an alias, such as "claude" for
// "claude-code".
func NameOf(name string) (string, bool) {
	for _, a := range agents() {
		if slices.Contains(a.names, name) {
			return a.names[0], true
		}
	}
	return "", false
}

// ByName returns the dialect of an agent by its name or an alias.
func ByName(name string) (Dialect, bool) {
	for _, a := range agents() {
		if slices.Contains(a.names, name) {
			return a.table(), true
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
