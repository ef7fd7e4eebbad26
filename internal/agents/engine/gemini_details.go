package engine

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// geminiDetails writes what the person is asked about: Gemini CLI's members for the kind of
// tool.
func geminiDetails(m Moment) json.RawMessage {
	subject := gjson.GetBytes(m.Values[ToolInput], gjson.Escape(m.Text(ToolSubject))).Str
	details := map[string]string{"type": "info", "title": "Confirm " + m.Text(ToolName)}
	switch tools.Category(m.Text(ToolCategory)) {
	case tools.CategoryShell:
		program, _, _ := strings.Cut(strings.TrimSpace(subject), " ")
		details = map[string]string{"type": "exec", "title": "Confirm Shell Command", "command": subject,
			"rootCommand": program}
	case tools.CategoryWrite, tools.CategoryEdit:
		name := filepath.Base(subject)
		details = map[string]string{"type": "edit", "title": "Confirm Write: " + name, "fileName": name, "filePath": subject}
	case tools.CategoryMCP:
		details = map[string]string{"type": "mcp", "title": "Confirm MCP Tool", "serverName": m.Text(Server),
			"toolName": m.Text(ServerTool)}
	}
	text, err := strictjson.Encode(details)
	if err != nil { // strings can always be encoded
		return json.RawMessage("{}")
	}
	return text
}
