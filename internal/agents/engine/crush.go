package engine

import (
	"time"

	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

// crush is Crush.
func crush() Dialect {
	return Dialect{
		Name: "crush", Title: "Crush",
		Facts:  Facts{Date: "2026-11-22", Read: "source code at 37f36e93 and the vendor's documentation"},
		Places: crushPlaces(), Shape: crushShape(), Servers: crushServers(),
		Tools: crushTools(), MCPName: "mcp_%s_%s",
		Environment: []Variable{
			{Name: "CRUSH", Const: "1"}, {Name: "AGENT", Const: "crush"}, {Name: "AI_AGENT", Const: "crush"},
			{Name: "CRUSH_EVENT", Value: EventName}, {Name: "CRUSH_TOOL_NAME", Value: ToolName, Events: []string{"PreToolUse"}},
			{Name: "CRUSH_TOOL_NAME", Const: "compact", Events: []string{"PreCompact"}},
			{Name: "CRUSH_SESSION_ID", Value: Session}, {Name: "CRUSH_CWD", Value: Cwd},
			{Name: "CRUSH_PROJECT_DIR", Value: Project},
			{Name: "CRUSH_TOOL_INPUT_COMMAND", Input: "command"},
			{Name: "CRUSH_TOOL_INPUT_FILE_PATH", Input: "file_path"},
		},
		Shell:     []string{"sh", "-c"},
		Newline:   true,
		PlainText: TextIgnored,
		Matcher:   MatcherRule{},
		Exits: []Exit{
			{Status: "0", JSON: "decides", Then: "ok"},
			{Status: "2", JSON: "ignored", Then: "deny"},
			{Status: "49", JSON: "ignored", Then: "halt"},
		},
		Dedup: "command",
		Events: []Event{
			{
				Name: "PreToolUse", Kind: BeforeTool, Matches: ToolName, Timeout: 30 * time.Second, Bridged: true,
				Fields: crushFields("PreToolUse", Field{Name: "tool_name", Value: ToolName, Form: AsTool},
					Field{Name: "tool_input", Value: ToolInput, Form: AsInput}),
				Rows: append(crushAnswer(), crushClaudeAnswer()...),
				Lost: []string{
					"a question is a denial: Crush's hooks cannot ask",
					"rewritten arguments are merged over the call's: one that is left out stays",
					"text for the person is not shown",
					"sub-agents' tools are not hooked",
				},
			},
			{
				Name: "PreCompact", Kind: BeforeCompact, Timeout: 30 * time.Second,
				Fields: crushFields("PreCompact", Field{Name: "tool_name", Const: `"compact"`},
					Field{Name: "tool_input", Const: "{}"}),
				Rows: crushAnswer(),
				Lost: []string{"only some versions have it, so nothing is added for it"},
			},
		},
	}
}

// crushTools is how Crush names its tools.
func crushTools() toolnames.Table {
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

func crushFields(event string, fields ...Field) []Field {
	return append([]Field{
		{Name: "event", Const: `"` + event + `"`}, {Name: "session_id", Value: Session}, {Name: "cwd", Value: Cwd},
	}, fields...)
}

// crushAnswer are the members of Crush's own answers, which mean nothing beside Claude Code's.
func crushAnswer() []Row {
	own := []string{"!hookSpecificOutput"}
	rows := []Row{
		{Path: "decision", Is: `"deny"`, Set: SetDecision, To: "deny"},
		{Path: "decision", Is: `"allow"`, Set: SetDecision, To: "allow"},
		{Path: "halt", Is: "true", Set: SetHalt},
		{Path: "reason", Set: SetHaltReason, When: []string{"halt=true"}},
		{Path: "reason", Set: SetReason},
		{Path: "context", Set: SetContext},
		{Path: "updated_input", Set: SetInputPatch},
		{Path: "version", Set: Silent},
		{Path: "systemMessage", Set: NoEffect}, {Path: "continue", Set: NoEffect}, {Path: "stopReason", Set: NoEffect},
	}
	for i := range rows {
		rows[i].When = append(rows[i].When, own...)
	}
	return rows
}

// crushClaudeAnswer are the members of Claude Code's answers that Crush reads.
func crushClaudeAnswer() []Row {
	rows := []Row{
		{Path: "permissionDecision", Is: `"deny"`, Set: SetDecision, To: "deny"},
		{Path: "permissionDecision", Is: `"allow"`, Set: SetDecision, To: "allow"},
		{Path: "permissionDecision", Is: `"ask"`, Set: NoEffect},
		{Path: "permissionDecisionReason", Set: SetReason},
		{Path: "updatedInput", Set: SetInputPatch},
		{Path: "additionalContext", Set: SetContext},
		{Path: "hookEventName", Set: Silent},
	}
	for i := range rows {
		rows[i].Path = "hookSpecificOutput." + rows[i].Path
	}
	return rows
}
