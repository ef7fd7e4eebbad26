package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/mcp"
)

// openServers finds the MCP servers of a session, and asks those for their tools that never
// said which they have. Without servers it does nothing.
func openServers(ctx context.Context, s *Session) error {
	closeServers(s)
	var servers []MCPServer
	all, problems := findServers(s)
	for _, server := range all {
		if !server.Disabled {
			servers = append(servers, server)
		}
	}
	s.serverProblems, s.Agent.Renew = problems, nil
	if len(servers) == 0 || !offersServers(s) {
		return nil
	}
	s.servers = newServerHost(s, servers)
	s.closers = append(s.closers, s.servers)
	s.Agent.Renew = func(ctx context.Context) bool { return renewTools(ctx, s) }
	if s.opts.Purpose != ToWork {
		return nil
	}
	return s.servers.askUnknown(ctx)
}

// renewTools collects the tools of a session again if those of its MCP servers have changed,
// and reports whether it did.
func renewTools(ctx context.Context, s *Session) bool {
	if s.servers == nil || !s.servers.haveChanged(ctx) {
		return false
	}
	if err := collectTools(s); err != nil {
		s.person.notice(err.Error())
	}
	return true
}

// closeServers ends the connections of an earlier load.
func closeServers(s *Session) {
	if s.servers != nil {
		s.servers.Close()
		s.servers = nil
	}
}

// offersServers reports whether the model of a session may be offered tools of servers.
func offersServers(s *Session) bool {
	return !s.opts.NoServers && !s.opts.Permissions.NoToolCalls &&
		!slices.Contains(s.Config.Tools.ExcludeCategories, string(tools.CategoryMCP))
}

// addServerTools puts the tools of the session's MCP servers into its set. A plugin's tool of
// the same name takes the place of a server's.
func addServerTools(s *Session) error {
	if s.servers == nil {
		return nil
	}
	for _, tool := range s.servers.tools() {
		spec := tool.Spec()
		if taken, ok := s.Agent.Tools.Lookup(spec.Name); ok {
			reportTaken(s, spec, taken.Spec())
			continue
		}
		if err := s.Agent.Tools.Add(tool); err != nil {
			return err
		}
	}
	return nil
}

// reportTaken says once that the name of a server's tool is that of another one.
func reportTaken(s *Session, spec, taken tools.Spec) {
	if s.replaced[spec.Name] {
		return
	}
	s.replaced[spec.Name] = true
	s.person.notice(fmt.Sprintf("the tool %q of MCP server %q is not offered: its name %s is that of %s", spec.Remote.Tool,
		spec.Remote.Server, spec.Name, taken))
}

// tools lists the tools of the servers, by what is remembered of them.
func (h *serverHost) tools() (list []tools.Tool) {
	h.mu.Lock()
	h.changed = false
	h.mu.Unlock()
	for _, s := range h.servers {
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

// unknownTools returns a sentence about each setting for a tool that its server does not
// have: a category of a misspelt name would hold no guard up.
func (h *serverHost) unknownTools() (about []string) {
	if h == nil {
		return nil
	}
	for _, s := range h.servers {
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
