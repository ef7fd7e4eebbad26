package merge

import (
	"slices"
	"strings"
)

// Listed returns the names of a filter as a list of tools has them. A tool of an MCP server is
// listed as mcp__SERVER__TOOL. In a filter SERVER_TOOL, its name in the original chibi, means
// it too, unless a tool is listed under that name.
func Listed(names, listed []string) []string {
	if !slices.ContainsFunc(listed, isOfServer) {
		return names
	}
	known := setOf(listed)
	if !slices.ContainsFunc(names, func(name string) bool { return !known[name] }) {
		return names
	}
	meant := map[string]string{}
	for _, name := range listed {
		if isOfServer(name) {
			meant[strings.Replace(strings.TrimPrefix(name, serverPrefix), "__", "_", 1)] = name
		}
	}
	names = slices.Clone(names)
	for i, name := range names {
		if tool := meant[name]; tool != "" && !known[name] {
			names[i] = tool
		}
	}
	return names
}

// serverPrefix is what the names of tools of MCP servers begin with.
const serverPrefix = "mcp__"

func isOfServer(tool string) bool { return strings.HasPrefix(tool, serverPrefix) }
