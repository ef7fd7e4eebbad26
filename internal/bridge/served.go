package bridge

import (
	"slices"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/plugin/dialect"
)

// ServerName is the name by which agents know chibi as an MCP server.
const ServerName = "chibi"

// isServed reports whether the event is about a tool of chibi's own MCP server, whose calls
// pass all hooks there. A server of this name alone is not enough: a project can bring one with
// other tools, and some agents write names of servers and tools so that chibi_x can be either.
func isServed(at dialect.Event, m dialect.Moment, s *app.Session) bool {
	about := []dialect.Kind{dialect.BeforeTool, dialect.AskPermission, dialect.BeforeMCP, dialect.AfterTool,
		dialect.ToolSucceeded, dialect.ToolFailed, dialect.AfterMCP}
	return slices.Contains(about, at.Kind) && m.Text(dialect.Server) == ServerName &&
		app.ServeOptions{}.Offers(s, m.Text(dialect.ServerTool))
}
