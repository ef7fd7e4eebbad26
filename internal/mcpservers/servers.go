// Package mcpservers has the MCP servers that a run knows: the servers of the person's
// configuration and the servers that a project names.
//
// It promises that a project's server starts only while its definition, and the project's files
// that its command runs, are as the person approved them; that it never gets the key for the
// model's server; and that it asks a server for its tools at most as often as package mcplists
// allows, and remembers the answer between runs.
package mcpservers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/tools/mcp"
)

// Server is an MCP server that a session knows.
type Server struct {
	mcp.Server
	// OfProject says that the project names it and not the person: it is started only while
	// the files of the project that its command names are as they were approved.
	OfProject bool
	// Disabled says that the configuration turns it off.
	Disabled bool
}

// Configured is what the configuration says about a server.
type Configured struct {
	mcp.Server
	// IsDefinition reports whether it says how the server is reached. Otherwise it is about a
	// server that a project names.
	IsDefinition bool
	// Disabled turns the server off.
	Disabled bool
}

// Check reports a server of the configuration that cannot be reached.
func Check(list []Configured) error {
	for _, set := range list {
		if !set.IsDefinition {
			continue
		}
		if err := set.Check(); err != nil {
			return fmt.Errorf("%s: MCP server %q: %w", set.Source, set.Name, err)
		}
	}
	return nil
}

// Known returns the servers of the configuration, then those that the project names as far as
// that is approved, by name. problems are about those that are not used.
func Known(configured []Configured, named Files, home string) (list []Server, problems []error) {
	for _, set := range configured {
		if set.IsDefinition {
			list = append(list, Server{Server: set.Server, Disabled: set.Disabled})
		}
	}
	ofProject, problems := named.servers(home)
	for _, server := range ofProject {
		one := Server{Server: server, OfProject: true}
		at := slices.IndexFunc(configured, func(c Configured) bool { return c.Name == server.Name })
		if at < 0 {
			list = append(list, one)
			continue
		}
		set := configured[at]
		switch {
		case set.IsDefinition:
			problems = append(problems, fmt.Errorf("two MCP servers have the name %q: chibi uses the server of %s, and not "+
				"the server of %s",
				server.Name, set.Source, term.Name(server.Source)))
			continue
		case set.Trusted:
			problems = append(problems, fmt.Errorf("%s: mcp.%s.trusted has no effect, because a project names that server; "+
				"define it in config.toml to trust it", set.Source, server.Name))
		}
		one.Timeout, one.Start, one.Disabled = set.Timeout, set.Start, set.Disabled
		one.Include, one.Exclude, one.Tools = set.Include, set.Exclude, set.Tools
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
	return list, problems
}
