package mcpservers

import (
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/mcp"
)

// Tools lists the tools of the servers, by what is remembered of them.
func (h *Host) Tools() (list []tools.Tool) {
	h.mu.Lock()
	h.changed = false
	h.mu.Unlock()
	for _, s := range h.Servers {
		e, _ := h.memory.Find(s.Server)
		if e.List == nil {
			continue
		}
		for _, d := range e.List.Tools {
			if isUsed(s.Server, d.Name) {
				list = append(list, mcp.NewTool(h.pool, s.Server, d))
			}
		}
	}
	return list
}

// isUsed reports whether the person wants a tool of a server.
func isUsed(s mcp.Server, tool string) bool {
	return (s.Include == nil || slices.Contains(s.Include, tool)) && !slices.Contains(s.Exclude, tool)
}

// UnknownTools returns a sentence about each setting for a tool that its server does not
// have: a category of a misspelt name would hold no guard up.
func (h *Host) UnknownTools() (about []string) {
	if h == nil {
		return nil
	}
	for _, s := range h.Servers {
		e, _ := h.memory.Find(s.Server)
		if e.List == nil || len(s.Include)+len(s.Exclude)+len(s.Tools) == 0 {
			continue
		}
		names := []string{}
		for _, d := range e.List.Tools {
			names = append(names, d.Name)
		}
		for key, wanted := range settingsByKey(s.Server) {
			for _, name := range wanted {
				if !slices.Contains(names, name) {
					about = append(about, noSuchTool(s.Name, key, name, names))
				}
			}
		}
	}
	slices.Sort(about)
	return about
}

// settingsByKey lists the tools that the settings of a server name, by their keys.
func settingsByKey(s mcp.Server) map[string][]string {
	named := map[string][]string{"tools.include": s.Include, "tools.exclude": s.Exclude}
	for name := range s.Tools {
		named["tool."+name] = []string{name}
	}
	return named
}

// noSuchTool says that a setting is about a tool that its server does not have.
func noSuchTool(server, key, name string, known []string) string {
	text := fmt.Sprintf("mcp.%s.%s is about a tool %q, which MCP server %q does not have", server, key, name, server)
	if near := strictjson.Nearest(name, known); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return text
}
