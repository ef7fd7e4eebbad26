package app

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/tools/mcp/oauth"
)

// Login logs in to a server with a URL. show is told the address that the person opens in a
// browser; Login returns when the person has logged in there, or ctx ends.
func (m MCP) Login(ctx context.Context, server MCPServer, show func(address string)) error {
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
func (m MCP) Logout(name string) (int, error) { return m.host.logins.Logout(name) }

// HasEndedLogin reports whether a login at a server has expired or was revoked. Nobody is asked.
func (m MCP) HasEndedLogin(server MCPServer) (bool, error) {
	if server.URL == "" {
		return false, nil
	}
	filled, err := m.host.fill(server.Server)
	if err != nil {
		return false, nil // whoever asks the server is told
	}
	return m.host.logins.HasEnded(filled)
}
