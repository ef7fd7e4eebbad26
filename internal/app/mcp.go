package app

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chibi-host/chibi/internal/mcplists"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/mcp"
)

// MCP is what a person can do with the MCP servers of a session, whether their tools are
// offered or not.
type MCP struct {
	host     *serverHost
	servers  []MCPServer
	problems []error
}

// MCPOf returns that of a session. Nothing is started, and nothing connected to.
func MCPOf(s *Session) MCP {
	m := MCP{host: s.servers}
	m.servers, m.problems = findServers(s)
	if m.host == nil || len(m.host.servers) < len(m.servers) { // the session's has no disabled ones
		m.host = newServerHost(s, m.servers)
		s.closers = append(s.closers, m.host)
	}
	return m
}

// Servers lists the servers by name. problems say what else is named and not used.
func (m MCP) Servers() (list []MCPServer, problems []error) { return m.servers, m.problems }

// Find returns a server by its name.
func (m MCP) Find(name string) (MCPServer, error) {
	names := []string{}
	for _, s := range m.servers {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	text := fmt.Sprintf("there is no MCP server %q", name)
	if near := strictjson.Nearest(name, names); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return MCPServer{}, UsageError{fmt.Errorf("%s; chibi mcp list names them all", text)}
}

// Remembered returns what is remembered of a server; false: it was never asked.
func (m MCP) Remembered(server MCPServer) (mcplists.Entry, bool) {
	return m.host.memory.Find(server.Server)
}

// Ask asks a server for its tools, which starts or connects to it, and remembers what it says,
// or that it said nothing.
func (m MCP) Ask(ctx context.Context, server MCPServer) (mcp.List, error) {
	list, err := m.host.ask(ctx, server.Server)
	if saved := m.host.memory.Save(); err == nil {
		err = saved
	}
	return list, err
}

// AskAll asks servers as Ask does, at the same time. The results and the errors are in their
// order.
func (m MCP) AskAll(ctx context.Context, servers []MCPServer) ([]mcp.List, []error) {
	lists := make([]mcp.List, len(servers))
	failures := together(len(servers), func(i int) (err error) {
		lists[i], err = m.Ask(ctx, servers[i])
		return err
	})
	return lists, failures
}

// Offers reports whether the person's settings for a server leave a tool of it, by the
// server's name.
func (m MCP) Offers(server MCPServer, tool string) bool { return isUsed(server.Server, tool) }

// UnknownTools returns a sentence about each setting of a server for a tool that it does not
// have.
func (m MCP) UnknownTools() []string { return m.host.unknownTools() }

// Call calls a tool of a server on behalf of a person, by the server's name of it. No hook
// fires and no rule is asked.
func (m MCP) Call(ctx context.Context, server MCPServer, tool string, args json.RawMessage) (tools.Result, error) {
	return m.host.pool.Call(ctx, server.Server, tool, args)
}
