package app

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/mcp"
)

// MCPServer is an MCP server that a session knows.
type MCPServer struct {
	mcp.Server
	// OfProject says that the project names it and not the person: it is started only while
	// the files of the project that its command names are as they were approved.
	OfProject bool
	// Disabled says that the configuration turns it off.
	Disabled bool
}

// checkServers reports an MCP server of the configuration that cannot be reached.
func checkServers(c config.Config) error {
	for _, name := range slices.Sorted(maps.Keys(c.MCP)) {
		if set := c.MCP[name]; isDefinition(set) {
			if err := serverOf(name, set).Check(); err != nil {
				return fmt.Errorf("%s: MCP server %q: %w", set.Where, name, err)
			}
		}
	}
	return nil
}

// isDefinition reports whether settings say how a server is reached. Others are about a
// server that a project names.
func isDefinition(set config.MCPServer) bool {
	return set.Command != "" || set.URL != "" || set.Cwd != "" ||
		len(set.Args)+len(set.Env)+len(set.Headers) > 0
}

// serverOf returns a server of the configuration.
func serverOf(name string, set config.MCPServer) mcp.Server {
	s := mcp.Server{Name: name, Source: set.Where, Command: inHome(set.Command), Args: set.Args, Dir: inHome(set.Cwd),
		Env: set.Env, URL: set.URL, Headers: set.Headers, OAuth: mcp.OAuth(set.OAuth)}
	s = withSettings(s, set)
	s.Trusted = set.Trusted
	return s
}

// withSettings returns a server with what is said about its tools.
func withSettings(s mcp.Server, set config.MCPServer) mcp.Server {
	s.Timeout, s.Start, s.Include, s.Exclude = set.Timeout(), set.StartTimeout(), set.Tools.Include, set.Tools.Exclude
	s.Tools = map[string]mcp.ToolSettings{}
	for name, tool := range set.Tool {
		s.Tools[name] = mcp.ToolSettings{Category: tools.Category(tool.Category), Subject: tool.Subject}
	}
	return s
}

// inHome returns a path with the person's home directory for "~".
func inHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		return filepath.Join(UserHome(), rest)
	}
	return path
}

// findServers returns the MCP servers of a session by name: those of the configuration, then
// those that the project names as far as that is approved. problems are about those that are
// not used.
func findServers(s *Session) (list []MCPServer, problems []error) {
	for _, name := range slices.Sorted(maps.Keys(s.Config.MCP)) {
		if set := s.Config.MCP[name]; isDefinition(set) {
			list = append(list, MCPServer{Server: serverOf(name, set), Disabled: !set.Enabled})
		}
	}
	named, problems := ServerFilesOf(s.Project).servers(s.Home)
	for _, server := range named {
		set, isSet := s.Config.MCP[server.Name]
		switch {
		case isSet && isDefinition(set):
			problems = append(problems, fmt.Errorf("two MCP servers have the name %q: that of %s is used, and not that of %s",
				server.Name, set.Where, term.Name(server.Source)))
			continue
		case isSet && set.Trusted:
			problems = append(problems, fmt.Errorf("%s: mcp.%s.trusted has no effect, because a project names that server; "+
				"define it in config.toml to trust it", set.Where, server.Name))
		}
		if isSet {
			server = withSettings(server, set)
		}
		list = append(list, MCPServer{Server: server, OfProject: true, Disabled: isSet && !set.Enabled})
	}
	slices.SortFunc(list, func(a, b MCPServer) int { return strings.Compare(a.Name, b.Name) })
	return list, problems
}
