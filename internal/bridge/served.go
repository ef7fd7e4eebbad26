package bridge

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/plugin/dialect"
	"github.com/tidwall/gjson"
)

// ServerName is the name by which agents know chibi as an MCP server.
const ServerName = "chibi"

// isServed reports whether the event is about a tool of chibi's own MCP server, whose calls
// pass all hooks there.
func isServed(at dialect.Event, m dialect.Moment) bool {
	about := []dialect.Kind{dialect.BeforeTool, dialect.AskPermission, dialect.BeforeMCP, dialect.AfterTool,
		dialect.ToolSucceeded, dialect.ToolFailed, dialect.AfterMCP}
	return slices.Contains(about, at.Kind) && (m.Text(dialect.Server) == ServerName || startsServer(m.Extra["command"]))
}

// startsServer reports whether the command of an MCP server, which some agents tell instead of
// its name, is chibi's.
func startsServer(command json.RawMessage) bool {
	words := strings.Fields(gjson.ParseBytes(command).String())
	n := len(words)
	return n >= 3 && strings.TrimSuffix(filepath.Base(words[0]), ".exe") == "chibi" && words[n-2] == "mcp" &&
		words[n-1] == "serve"
}
