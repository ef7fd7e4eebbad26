// Package crush has the facts about Crush: its table and its settings files. testdata has payloads of its hooks,
// and how the table reads them.
package crush

import (
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

// Agent is Crush.
func Agent() engine.Agent {
	return engine.Agent{Names: []string{"crush"}, Table: table}
}

func table() engine.Dialect {
	return engine.Dialect{
		Title:  "Crush",
		Facts:  engine.Facts{Date: "2026-11-22", Read: "source code at 37f36e93 and the vendor's documentation"},
		Places: places(), Shape: shape(), Servers: servers(),
		Tools: toolNames(), MCPName: "mcp_%s_%s",
		Environment: []engine.Variable{
			{Name: "CRUSH", Const: "1"}, {Name: "AGENT", Const: "crush"}, {Name: "AI_AGENT", Const: "crush"},
			{Name: "CRUSH_EVENT", Value: engine.EventName}, {Name: "CRUSH_TOOL_NAME", Value: engine.ToolName,
				Events: []string{"PreToolUse"}},
			{Name: "CRUSH_TOOL_NAME", Const: "compact", Events: []string{"PreCompact"}},
			{Name: "CRUSH_SESSION_ID", Value: engine.Session}, {Name: "CRUSH_CWD", Value: engine.Cwd},
			{Name: "CRUSH_PROJECT_DIR", Value: engine.Project},
			{Name: "CRUSH_TOOL_INPUT_COMMAND", Input: "command"},
			{Name: "CRUSH_TOOL_INPUT_FILE_PATH", Input: "file_path"},
		},
		Shell:     []string{"sh", "-c"},
		Newline:   true,
		PlainText: engine.TextIgnored,
		Matcher:   engine.MatcherRule{},
		Exits: []engine.Exit{
			{Status: "0", JSON: engine.JSONDecides, Then: engine.EndsOK},
			{Status: "2", JSON: engine.JSONIgnored, Then: engine.EndsDenied},
			{Status: "49", JSON: engine.JSONIgnored, Then: engine.EndsHalted},
		},
		Dedup: "command",
		Events: []engine.Event{
			{
				Name: "PreToolUse", Kind: engine.BeforeTool, Matches: engine.ToolName, Timeout: 30 * time.Second, Bridged: true,
				Fields: fields("PreToolUse", engine.Formed("tool_name", engine.ToolName, engine.AsTool),
					engine.Formed("tool_input", engine.ToolInput, engine.AsInput)),
				Rows: append(answer(), claudeAnswer()...),
				Lost: []string{
					"A question becomes a denial: Crush's hooks cannot ask.",
					"Crush merges rewritten arguments over the call's: one that a plugin takes out stays.",
					"Crush does not show a text for the person.",
					"Crush runs no hooks for tools of sub-agents.",
				},
			},
			{
				Name: "PreCompact", Kind: engine.BeforeCompact, Timeout: 30 * time.Second,
				Fields: fields("PreCompact", engine.Fixed("tool_name", `"compact"`), engine.Fixed("tool_input", "{}")),
				Rows:   answer(),
				Lost:   []string{"Only some versions have it, so chibi adds no entry for it."},
			},
		},
	}
}

// toolNames is how Crush names its tools.
func toolNames() toolnames.Table {
	arg := toolnames.Arg
	file := arg("path", "file_path")
	return toolnames.Table{
		{Category: tools.CategoryShell, Ours: "shell_exec", All: true, Name: "bash", Subject: arg("command", "command")},
		{Category: tools.CategoryRead, Ours: "read_file", All: true, Name: "view", Subject: file},
		{Category: tools.CategoryWrite, Ours: "write_file", All: true, Name: "write", Subject: file},
		{Category: tools.CategoryEdit, Ours: "file_edit", All: true, Name: "edit", Also: []string{"multiedit"},
			Subject: file},
		{Category: tools.CategorySearch, Ours: "glob_files", Name: "glob", Subject: arg("path", "path")},
		{Category: tools.CategorySearch, Ours: "grep_files", Name: "grep", Subject: arg("path", "path"),
			Arguments: []toolnames.Argument{arg("file_pattern", "include")}},
		{Category: tools.CategorySearch, Ours: "dir_list", Name: "ls", Subject: arg("path", "path")},
		{Category: tools.CategoryFetch, Ours: "fetch_url", All: true, Name: "fetch", Subject: arg("url", "url")},
		{Category: tools.CategoryAgent, Ours: "spawn_agent", Name: "agent",
			Arguments: []toolnames.Argument{arg("task", "prompt")}},
	}
}

func fields(event string, fields ...engine.Field) []engine.Field {
	return append([]engine.Field{
		{Name: "event", Const: `"` + event + `"`}, {Name: "session_id", Value: engine.Session},
		{Name: "cwd", Value: engine.Cwd},
	}, fields...)
}

// answer are the members of Crush's own answers. They mean nothing beside Claude Code's.
func answer() []engine.Row {
	own := []engine.Condition{engine.Has("hookSpecificOutput").Not()}
	rows := append(engine.Decides("decision", "deny", "allow"), []engine.Row{
		{Path: "halt", Is: "true", Set: engine.SetHalt},
		{Path: "reason", Set: engine.SetHaltReason, When: []engine.Condition{engine.Is("halt", "true")}},
		{Path: "reason", Set: engine.SetReason},
		{Path: "context", Set: engine.SetContext},
		{Path: "updated_input", Set: engine.SetInputPatch},
		{Path: "version", Set: engine.Silent},
		{Path: "systemMessage", Set: engine.NoEffect}, {Path: "continue", Set: engine.NoEffect},
		{Path: "stopReason", Set: engine.NoEffect},
	}...)
	for i := range rows {
		rows[i].When = append(rows[i].When, own...)
	}
	return rows
}

// claudeAnswer are the members of Claude Code's answers that Crush reads.
func claudeAnswer() []engine.Row {
	rows := append(engine.Decides("permissionDecision", "deny", "allow"), []engine.Row{
		{Path: "permissionDecision", Is: `"ask"`, Set: engine.NoEffect},
		{Path: "permissionDecisionReason", Set: engine.SetReason},
		{Path: "updatedInput", Set: engine.SetInputPatch},
		{Path: "additionalContext", Set: engine.SetContext},
		{Path: "hookEventName", Set: engine.Silent},
	}...)
	for i := range rows {
		rows[i].Path = "hookSpecificOutput." + rows[i].Path
	}
	return rows
}

// places are Crush's settings files.
func places() []engine.Place {
	return []engine.Place{
		{Scope: engine.ScopeUser, Path: ".config/crush/crush.json", Format: "json", Write: true},
		{Scope: engine.ScopeProject, Path: "crush.json", Format: "json"},
		{Scope: engine.ScopeProject, Path: ".crush.json", Format: "json", Write: true},
	}
}

// shape is how Crush's settings files list hooks.
func shape() engine.Shape {
	return engine.Shape{Root: "hooks", Timeout: "timeout", Unit: time.Second, AnyCase: true,
		Kinds: []engine.HandlerKind{engine.CommandHandler}}
}

func servers() engine.ServerPlaces {
	const extra = `"type":"stdio"`
	return engine.ServerPlaces{
		{Place: engine.Place{Scope: engine.ScopeUser, Path: ".config/crush/crush.json", Format: "json"}, Root: "mcp",
			Extra: extra},
		{Place: engine.Place{Scope: engine.ScopeProject, Path: ".crush.json", Format: "json"}, Root: "mcp", Extra: extra},
	}
}
