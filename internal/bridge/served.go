package bridge

import (
	"slices"

	"github.com/chibi-host/chibi/plugin/dialect"
)

// ServerName is the name by which agents know chibi as an MCP server.
const ServerName = "chibi"

// isServed reports whether the event is about a tool of chibi's own MCP server, whose calls
// pass all hooks there.
func isServed(at dialect.Event, m dialect.Moment) bool {
	about := []dialect.Kind{dialect.BeforeTool, dialect.AskPermission, dialect.BeforeMCP, dialect.AfterTool,
		dialect.ToolSucceeded, dialect.ToolFailed, dialect.AfterMCP}
	return slices.Contains(about, at.Kind) && m.Text(dialect.Server) == ServerName
}
