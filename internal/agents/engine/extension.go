package engine

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// InExtension returns a handler of a plugin of an agent with what that fills into its texts: the plugin's
// directory, that of the project, and what separates names in a path.
func (h Handler) InExtension(d Dialect, dir, project string) Handler {
	if !d.Extensions {
		return h
	}
	const separator = string(filepath.Separator)
	fill := strings.NewReplacer("${extensionPath}", dir, "${workspacePath}", project, "${/}", separator,
		"${pathSeparator}", separator).Replace
	h.Command, h.Args, h.Env = fill(h.Command), slices.Clone(h.Args), maps.Clone(h.Env)
	for i, arg := range h.Args {
		h.Args[i] = fill(arg)
	}
	for name, value := range h.Env {
		h.Env[name] = fill(value)
	}
	return h
}
