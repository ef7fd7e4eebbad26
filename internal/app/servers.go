package app

import (
	"maps"
	"slices"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/mcpservers"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/mcp"
)

// knownServers returns the MCP servers of a session.
func knownServers(s *Session) ([]mcpservers.Server, []error) {
	return mcpservers.Known(configuredServers(s.Config), ServerFilesOf(s.Project), s.Home)
}

// configuredServers returns what a configuration says about MCP servers, by name.
func configuredServers(c config.Config) (list []mcpservers.Configured) {
	for _, name := range slices.Sorted(maps.Keys(c.MCP)) {
		set := c.MCP[name]
		one := mcpservers.Configured{Disabled: !set.Enabled,
			IsDefinition: set.Command != "" || set.URL != "" || set.Cwd != "" ||
				len(set.Args)+len(set.Env)+len(set.Headers) > 0}
		one.Server = mcp.Server{Name: name, Source: set.Where, Command: project.InHome(set.Command), Args: set.Args,
			Dir: project.InHome(set.Cwd), Env: set.Env, URL: set.URL, Headers: set.Headers, OAuth: mcp.OAuth(set.OAuth),
			Trusted: set.Trusted, Timeout: set.Timeout(), Start: set.StartTimeout(), Include: set.Tools.Include,
			Exclude: set.Tools.Exclude, Tools: map[string]mcp.ToolSettings{}}
		for name, tool := range set.Tool {
			one.Tools[name] = mcp.ToolSettings{Category: tools.Category(tool.Category), Subject: tool.Subject}
		}
		list = append(list, one)
	}
	return list
}
