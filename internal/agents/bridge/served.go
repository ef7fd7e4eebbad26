package bridge

import (
	"slices"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/app"
)

// ServerName is the name by which agents know chibi as an MCP server.
const ServerName = "chibi"

// isServed reports whether the event is about a tool of chibi's own MCP server, whose calls
// pass all hooks there. A server of this name alone is not enough: a project can bring one with
// other tools, and some agents write names of servers and tools so that chibi_x can be either.
func isServed(at engine.Event, m engine.Moment, s *app.Session) bool {
	about := []engine.Kind{engine.BeforeTool, engine.AskPermission, engine.BeforeMCP, engine.AfterTool,
		engine.ToolSucceeded, engine.ToolFailed, engine.AfterMCP}
	if !slices.Contains(about, at.Kind) || m.Text(engine.Server) != ServerName {
		return false
	}
	tool, found := s.Agent.Tools.Lookup(m.Text(engine.ServerTool))
	return found && slices.Contains(app.ServedKinds(), tool.Spec().Kind)
}
