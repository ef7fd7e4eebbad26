package mcpservers

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chibi-host/chibi/internal/mcplists"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/internal/usage"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/chibi-host/chibi/tools/mcp/oauth"
)

// Manual is what a person can do with MCP servers by hand, whether their tools are offered or
// not.
type Manual struct {
	host     *Host
	servers  []Server
	problems []error
}

// ManualOf returns what a person can do with servers that a host has. problems are about others.
func ManualOf(host *Host, servers []Server, problems []error) Manual {
	return Manual{host, servers, problems}
}

// Servers lists the servers by name. problems name other servers, which chibi does not use, and say why.
func (m Manual) Servers() (list []Server, problems []error) { return m.servers, m.problems }

// Find returns a server by its name.
func (m Manual) Find(name string) (Server, error) {
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
	return Server{}, usage.Error{Err: fmt.Errorf("%s; chibi mcp list names them all", text)}
}

// Remembered returns the memory of a server; false: chibi never asked it.
func (m Manual) Remembered(server Server) (mcplists.Entry, bool) {
	return m.host.memory.Find(server.Server)
}

// Ask asks a server for its tools, which starts or connects to it, and remembers what it says,
// or that it said nothing.
func (m Manual) Ask(ctx context.Context, server Server) (mcp.List, error) {
	list, err := m.host.ask(ctx, server.Server)
	if saved := m.host.memory.Save(); err == nil {
		err = saved
	}
	return list, err
}

// AskAll asks servers as Ask does, at the same time. The results and the errors are in their
// order.
func (m Manual) AskAll(ctx context.Context, servers []Server) ([]mcp.List, []error) {
	lists := make([]mcp.List, len(servers))
	failures := together(len(servers), func(i int) (err error) {
		lists[i], err = m.Ask(ctx, servers[i])
		return err
	})
	return lists, failures
}

// Offers reports whether the person's settings for a server leave a tool of it, by the
// server's name.
func (m Manual) Offers(server Server, tool string) bool { return isUsed(server.Server, tool) }

// UnknownTools returns a sentence about each setting of a server for a tool that it does not
// have.
func (m Manual) UnknownTools() []string { return m.host.UnknownTools() }

// Call calls a tool of a server on behalf of a person, by the server's name of it. No hook
// fires and no rule applies.
func (m Manual) Call(ctx context.Context, server Server, tool string, args json.RawMessage) (tools.Result, error) {
	return m.host.pool.Call(ctx, server.Server, tool, args)
}

// Login logs in to a server with a URL. show shows the address that the person opens in a browser;
// Login returns when the person has logged in there, or ctx ends.
func (m Manual) Login(ctx context.Context, server Server, show func(address string)) error {
	filled, err := m.host.fill(server.Server)
	if err == nil {
		err = m.host.logins.Login(ctx, oauth.Request{Server: filled, Show: show})
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("MCP server %q: %w", server.Name, err)
	}
	return err
}

// Logout forgets the logins under the name of a server, which may be one that the
// configuration no longer has, and returns how many there were.
func (m Manual) Logout(name string) (int, error) { return m.host.logins.Logout(name) }

// HasEndedLogin reports whether a login at a server has expired or was revoked. It asks nobody.
func (m Manual) HasEndedLogin(server Server) (bool, error) {
	if server.URL == "" {
		return false, nil
	}
	filled, err := m.host.fill(server.Server)
	if err != nil {
		return false, nil // the code that asks the server reports it
	}
	return m.host.logins.HasEnded(filled)
}
