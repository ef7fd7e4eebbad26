package doctor

import (
	"fmt"

	"github.com/chibi-host/chibi/internal/app"
)

// endedLogins finds logins at MCP servers that the person has to repeat.
func endedLogins(s *app.Session) (found []finding) {
	m := app.MCPOf(s)
	servers, _ := m.Servers()
	for _, server := range servers {
		hasEnded, err := m.HasEndedLogin(server)
		switch {
		case err != nil:
			return []finding{failure(err.Error(), "")}
		case hasEnded && !server.Disabled:
			found = append(found, warning(fmt.Sprintf("the login at MCP server %s has expired or was revoked", server.Name),
				"chibi mcp login "+server.Name))
		}
	}
	return found
}
