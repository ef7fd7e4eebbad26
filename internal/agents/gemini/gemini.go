// Package gemini has the facts about Gemini CLI: its table and its settings files. testdata has payloads that the
// program wrote to its hooks, and how the table reads them.
package gemini

import (
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

const timeLimit = 60 * time.Second

// Agent is Gemini CLI.
func Agent() engine.Agent {
	return engine.Agent{Names: []string{"gemini", "gemini-cli"}, Table: table}
}

func table() engine.Dialect {
	return engine.Dialect{
		Title: "Gemini CLI",
		Facts: engine.Facts{Driven: "0.61.0", Date: "2026-11-22",
			Read: "source code at 5411f113 and the vendor's documentation"},
		Sessions: engine.SessionFiles{Path: ".gemini/tmp/*/chats/session-*.jsonl", Begin: 8},
		Places:   places(), Shape: shape(), Servers: servers(),
		Tools: toolNames(), MCPName: "mcp_%s_%s", AddressesIn: "prompt", PathBegins: []string{"@"},
		Results: []engine.Result{{Fields: []engine.Field{
			{Name: "llmContent", Value: engine.ToolOutput}, {Name: "returnDisplay", Value: engine.ToolOutput, Writes: true},
			{Name: "error.message", Value: engine.ToolError, Optional: true},
		}}},
		Words: []engine.Word{
			{Value: engine.Reason, Ours: "error", Theirs: "other"}, {Value: engine.Reason, Ours: "interrupt", Theirs: "other"},
		},
		Environment: []engine.Variable{
			{Name: "GEMINI_PROJECT_DIR", Value: engine.Project}, {Name: "GEMINI_CWD", Value: engine.Cwd},
			{Name: "GEMINI_PLANS_DIR", Value: engine.PlansDir}, {Name: "GEMINI_SESSION_ID", Value: engine.Session},
			{Name: "CLAUDE_PROJECT_DIR", Value: engine.Project},
		},
		Shell:  []string{"bash", "-c"},
		Quoted: true, Extensions: true,
		PlainText: engine.TextShown,
		NoReason:  "No reason provided",
		Matcher: engine.MatcherRule{Literal: true, Lookaround: true,
			Exact: []string{"SessionStart", "SessionEnd", "PreCompress", "Notification"}},
		Exits: []engine.Exit{
			// A text means "allow" in its source, but the program still asks the person.
			{Status: "0", JSON: engine.JSONDecides, Then: engine.EndsOK, Stderr: true},
			{Status: engine.BySignal, JSON: engine.JSONDecides, Then: engine.EndsOK, Stderr: true},
			{Status: "1", JSON: engine.JSONDecides, Then: engine.EndsShown, Stderr: true},
			{Status: engine.OtherStatus, JSON: engine.JSONDecides, Then: engine.EndsDenied, NeedsText: true, Else: engine.EndsOK,
				Stderr: true},
		},
		Dedup:  "name and command",
		Own:    own{},
		Events: slices.Concat(toolEvents(), turnEvents(), modelEvents()),
		Exceptions: []engine.Exception{
			{Function: "geminiRequest, neutralRequest",
				Reason: "a request to the model has another structure there: texts only, a config"},
			{Function: "geminiCandidates, geminiUsage", Reason: "a response has another structure there too"},
			{Function: "geminiDetails", Reason: "a question to the person has different members for each kind of tool"},
			{Function: "geminiInclude, geminiToolConfig", Reason: "the selection of tools is a mode and a list there"},
		},
	}
}

// toolNames is how Gemini CLI names its tools.
func toolNames() toolnames.Table {
	arg := toolnames.Arg
	file, dir := arg("path", "file_path"), arg("path", "dir_path")
	return toolnames.Table{
		{Category: tools.CategoryShell, Ours: "shell_exec", All: true, Name: "run_shell_command",
			Subject: arg("command", "command"), Arguments: []toolnames.Argument{arg("cwd", "dir_path")}},
		{Category: tools.CategoryRead, Ours: "read_file", All: true, Name: "read_file", Subject: file},
		{Category: tools.CategoryWrite, Ours: "write_file", All: true, Name: "write_file", Subject: file},
		{Category: tools.CategoryEdit, Ours: "file_edit", All: true, Name: "replace", Subject: file},
		{Category: tools.CategorySearch, Ours: "glob_files", Name: "glob", Subject: dir},
		{Category: tools.CategorySearch, Ours: "grep_files", Name: "grep_search", Also: []string{"search_file_content"},
			Subject: dir, Arguments: []toolnames.Argument{arg("file_pattern", "include")}},
		{Category: tools.CategorySearch, Ours: "dir_list", Name: "list_directory", Subject: dir},
		{Category: tools.CategoryFetch, Ours: "fetch_url", All: true, Name: "web_fetch", Subject: arg("url", "prompt")},
	}
}

// fields are the fields of an event.
func fields(event string, fields ...engine.Field) []engine.Field {
	return append([]engine.Field{
		{Name: "session_id", Value: engine.Session}, {Name: "transcript_path", Value: engine.Transcript},
		{Name: "cwd", Value: engine.Cwd},
		{Name: "hook_event_name", Const: `"` + event + `"`}, {Name: "timestamp", Value: engine.Time},
	}, fields...)
}

// decides are the members of an answer that refuses, or ends the turn.
func decides(rows ...engine.Row) []engine.Row {
	return append([]engine.Row{
		{Path: "decision", Is: `"deny"`, Set: engine.SetDecision, To: "deny"},
		{Path: "decision", Is: `"block"`, Set: engine.SetDecision, To: "deny"},
		{Path: "decision", Is: `"allow"`, Set: engine.Silent}, {Path: "decision", Is: `"approve"`, Set: engine.Silent},
		{Path: "decision", Is: `"ask"`, Set: engine.NoEffect},
		{Path: "reason", Set: engine.SetReason},
		{Path: "continue", Is: "false", Set: engine.SetHalt},
		{Path: "stopReason", Set: engine.SetHaltReason},
		{Path: "systemMessage", Set: engine.SetSystemMessage},
		{Path: "suppressOutput", Set: engine.Silent},
		{Path: "hookSpecificOutput.hookEventName", Set: engine.Silent},
	}, rows...)
}

// shown are the members of an answer at an event at which a hook cannot decide.
func shown(rows ...engine.Row) []engine.Row {
	return append([]engine.Row{
		{Path: "systemMessage", Set: engine.SetSystemMessage},
		{Path: "decision", Set: engine.NoEffect}, {Path: "reason", Set: engine.NoEffect},
		{Path: "continue", Is: "false", Set: engine.NoEffect},
		{Path: "stopReason", Set: engine.NoEffect},
		{Path: "suppressOutput", Set: engine.Silent},
		{Path: "hookSpecificOutput.hookEventName", Set: engine.Silent},
	}, rows...)
}

// toolEvents are the events about tools.
func toolEvents() []engine.Event {
	const limit = timeLimit
	call := func(more ...engine.Field) []engine.Field {
		return append([]engine.Field{
			{Name: "tool_name", Value: engine.ToolName, Form: engine.AsTool},
			{Name: "tool_input", Value: engine.ToolInput, Form: engine.AsInput},
		}, append(more, engine.Optional("mcp_context.server_name", engine.Server),
			engine.Optional("mcp_context.tool_name", engine.ServerTool),
			engine.Field{Name: "mcp_context.command", Optional: true},
			engine.Field{Name: "mcp_context.args", Optional: true})...)
	}
	return []engine.Event{
		{
			Name: "BeforeTool", Kind: engine.BeforeTool, Matches: engine.ToolName, Timeout: limit, Bridged: true,
			Fields: fields("BeforeTool", call()...),
			Rows:   beforeTool(),
			Lost: []string{
				"A question becomes a denial: Gemini CLI would wait for ever where nobody can answer.",
				"A context has no effect here: give it after the tool.",
				"Gemini CLI merges rewritten arguments over the call's: one that a plugin takes out stays.",
			},
		},
		{
			Name: "AfterTool", Kind: engine.AfterTool, Matches: engine.ToolName, Timeout: limit, Bridged: true,
			Fields: fields("AfterTool", call(engine.Formed("tool_response", engine.ToolOutput, engine.AsResult))...),
			Rows: decides(
				engine.Row{Path: "reason", Set: engine.SetOutput, Needs: []engine.Condition{engine.Is("decision", `"deny"`)},
					Writes: true,
					Costs:  "the model sees the new result as an error"},
				engine.Row{Path: "hookSpecificOutput.additionalContext", Set: engine.SetContext,
					When: []engine.Condition{engine.Is("decision", `"deny"`).Not(), engine.Is("decision", `"block"`).Not()}},
				engine.Row{Path: "hookSpecificOutput.additionalContext", Set: engine.NoEffect},
				engine.Row{Path: "hookSpecificOutput.tool_output", Set: engine.NoEffect},
				engine.Row{Path: "hookSpecificOutput.tailToolCallRequest", Set: engine.NoEffect},
			),
			DenyReplaces: true,
			Lost: []string{
				"Gemini CLI shows the model a new result as an error.",
				"A context has no effect beside a denial or a new result.",
			},
		},
		{
			Name: "Notification", Kind: engine.AskPermission, Matches: engine.Notice, Timeout: limit,
			Fields: fields("Notification", engine.Usually("notification_type", engine.Notice, `"ToolPermission"`),
				engine.Usually("message", engine.Question, `""`), engine.Formed("details", engine.ToolInput, asDetails)),
			Rows: shown(),
			Lost: []string{"A hook can only look on here, and headless runs never ask: guard the tools at BeforeTool."},
		},
	}
}

func beforeTool() []engine.Row {
	return []engine.Row{
		{Path: "decision", Is: `"deny"`, Set: engine.SetDecision, To: "deny"},
		{Path: "decision", Is: `"block"`, Set: engine.SetDecision, To: "deny"},
		{Path: "decision", Is: `"ask"`, Set: engine.SetDecision, To: "ask"},
		{Path: "decision", Is: `"allow"`, Set: engine.Silent}, // the program still asks the person
		{Path: "decision", Is: `"approve"`, Set: engine.Silent},
		{Path: "reason", Set: engine.SetReason},
		{Path: "continue", Is: "false", Set: engine.SetHalt},
		{Path: "stopReason", Set: engine.SetHaltReason},
		{Path: "systemMessage", Set: engine.SetSystemMessage},
		{Path: "suppressOutput", Set: engine.Silent},
		{Path: "hookSpecificOutput.hookEventName", Set: engine.Silent},
		{Path: "hookSpecificOutput.tool_input", Set: engine.SetInputPatch},
		{Path: "hookSpecificOutput.additionalContext", Set: engine.NoEffect},
	}
}

// places are Gemini CLI's settings files.
func places() []engine.Place {
	return []engine.Place{
		{Scope: engine.ScopeProject, Path: ".gemini/settings.json", Format: "jsonc", Write: true},
		{Scope: engine.ScopeUser, Path: ".gemini/settings.json", Format: "jsonc", Write: true},
		{Scope: engine.ScopeSystem, Path: "/etc/gemini-cli/settings.json", Format: "jsonc"},
	}
}

// shape is how Gemini CLI's settings files list hooks.
func shape() engine.Shape {
	return engine.Shape{Root: "hooks", Groups: true, Timeout: "timeout", Unit: time.Millisecond,
		Enable:   "hooksConfig.enabled",
		Disabled: "hooksConfig.disabled", NoEvents: []string{"enabled", "disabled", "notifications"},
		Kinds: []engine.HandlerKind{engine.CommandHandler}}
}

func servers() engine.ServerPlaces {
	return engine.ServerPlaces{
		{Place: engine.Place{Scope: engine.ScopeUser, Path: ".gemini/settings.json", Format: "jsonc"}, Root: "mcpServers"},
		{Place: engine.Place{Scope: engine.ScopeProject, Path: ".gemini/settings.json", Format: "jsonc"}, Root: "mcpServers"},
	}
}
