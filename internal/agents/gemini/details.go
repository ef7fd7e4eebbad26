package gemini

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// geminiDetails writes what the person is asked about: Gemini CLI's members for the kind of
// tool.
func geminiDetails(m engine.Moment) json.RawMessage {
	subject := gjson.GetBytes(m.Values[engine.ToolInput], gjson.Escape(m.Text(engine.ToolSubject))).Str
	details := map[string]string{"type": "info", "title": "Confirm " + m.Text(engine.ToolName)}
	switch tools.Category(m.Text(engine.ToolCategory)) {
	case tools.CategoryShell:
		program, _, _ := strings.Cut(strings.TrimSpace(subject), " ")
		details = map[string]string{"type": "exec", "title": "Confirm Shell Command", "command": subject,
			"rootCommand": program}
	case tools.CategoryWrite, tools.CategoryEdit:
		name := filepath.Base(subject)
		details = map[string]string{"type": "edit", "title": "Confirm Write: " + name, "fileName": name, "filePath": subject}
	case tools.CategoryMCP:
		details = map[string]string{"type": "mcp", "title": "Confirm MCP Tool", "serverName": m.Text(engine.Server),
			"toolName": m.Text(engine.ServerTool)}
	}
	text, err := strictjson.Encode(details)
	if err != nil { // strings can always be encoded
		return json.RawMessage("{}")
	}
	return text
}
