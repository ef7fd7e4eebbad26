package engine

import (
	"slices"
	"time"

	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

const geminiLimit = 60 * time.Second

// gemini is Gemini CLI.
func gemini() Dialect {
	return Dialect{
		Name: "gemini", Aliases: []string{"gemini-cli"}, Title: "Gemini CLI",
		Facts:  Facts{Driven: "0.61.0", Date: "2026-11-22", Read: "source code at 5411f113 and the vendor's documentation"},
		Places: geminiPlaces(), Shape: geminiShape(), Servers: geminiServers(),
		Tools: geminiTools(), MCPName: "mcp_%s_%s",
		Results: []Result{{Fields: []Field{
			{Name: "llmContent", Value: ToolOutput}, {Name: "returnDisplay", Value: ToolOutput, Writes: true},
			{Name: "error.message", Value: ToolError, Optional: true},
		}}},
		Words: []Word{
			{Value: Reason, Ours: "error", Theirs: "other"}, {Value: Reason, Ours: "interrupt", Theirs: "other"},
		},
		Environment: []Variable{
			{Name: "GEMINI_PROJECT_DIR", Value: Project}, {Name: "GEMINI_CWD", Value: Cwd},
			{Name: "GEMINI_PLANS_DIR", Value: PlansDir}, {Name: "GEMINI_SESSION_ID", Value: Session},
			{Name: "CLAUDE_PROJECT_DIR", Value: Project},
		},
		Shell:  []string{"bash", "-c"},
		Quoted: true, Extensions: true,
		PlainText: TextShown,
		NoReason:  "No reason provided",
		Matcher: MatcherRule{Literal: true, Lookaround: true,
			Exact: []string{"SessionStart", "SessionEnd", "PreCompress", "Notification"}},
		Exits: []Exit{
			// A text means "allow" in its source; the program asks the person all the same.
			{Status: "0", JSON: "decides", Then: "ok", Stderr: true},
			{Status: "signal", JSON: "decides", Then: "ok", Stderr: true},
			{Status: "1", JSON: "decides", Then: "shown", Stderr: true},
			{Status: "other", JSON: "decides", Then: "deny", NeedsText: true, Else: "ok", Stderr: true},
		},
		Dedup:  "name and command",
		Events: slices.Concat(geminiToolEvents(), geminiTurnEvents(), geminiModelEvents()),
		Exceptions: []Exception{
			{Function: "geminiRequest, neutralRequest",
				Reason: "a request to the model has another structure there: texts only, a config"},
			{Function: "geminiCandidates, geminiUsage", Reason: "so has its response"},
			{Function: "geminiDetails", Reason: "what the person is asked has other members for each kind of tool"},
			{Function: "geminiInclude, geminiToolConfig", Reason: "which tools are offered is a mode and a list there"},
		},
	}
}

// geminiTools is how Gemini CLI names its tools.
func geminiTools() toolnames.Table {
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

// geminiFields are the fields of an event.
func geminiFields(event string, fields ...Field) []Field {
	return append([]Field{
		{Name: "session_id", Value: Session}, {Name: "transcript_path", Value: Transcript}, {Name: "cwd", Value: Cwd},
		{Name: "hook_event_name", Const: `"` + event + `"`}, {Name: "timestamp", Value: Time},
	}, fields...)
}

// geminiDecides are the members of an answer that refuses, or ends the turn.
func geminiDecides(rows ...Row) []Row {
	return append([]Row{
		{Path: "decision", Is: `"deny"`, Set: SetDecision, To: "deny"},
		{Path: "decision", Is: `"block"`, Set: SetDecision, To: "deny"},
		{Path: "decision", Is: `"allow"`, Set: Silent}, {Path: "decision", Is: `"approve"`, Set: Silent},
		{Path: "decision", Is: `"ask"`, Set: NoEffect},
		{Path: "reason", Set: SetReason},
		{Path: "continue", Is: "false", Set: SetHalt},
		{Path: "stopReason", Set: SetHaltReason},
		{Path: "systemMessage", Set: SetSystemMessage},
		{Path: "suppressOutput", Set: Silent},
		{Path: "hookSpecificOutput.hookEventName", Set: Silent},
	}, rows...)
}

// geminiShown are the members of an answer where nothing can be decided.
func geminiShown(rows ...Row) []Row {
	return append([]Row{
		{Path: "systemMessage", Set: SetSystemMessage},
		{Path: "decision", Set: NoEffect}, {Path: "reason", Set: NoEffect},
		{Path: "continue", Is: "false", Set: NoEffect},
		{Path: "stopReason", Set: NoEffect},
		{Path: "suppressOutput", Set: Silent},
		{Path: "hookSpecificOutput.hookEventName", Set: Silent},
	}, rows...)
}

// geminiToolEvents are the events about tools.
func geminiToolEvents() []Event {
	const limit = geminiLimit
	call := func(more ...Field) []Field {
		return append([]Field{
			{Name: "tool_name", Value: ToolName, Form: AsTool}, {Name: "tool_input", Value: ToolInput, Form: AsInput},
		}, append(more, Field{Name: "mcp_context.server_name", Value: Server, Optional: true},
			Field{Name: "mcp_context.tool_name", Value: ServerTool, Optional: true},
			Field{Name: "mcp_context.command", Optional: true}, Field{Name: "mcp_context.args", Optional: true})...)
	}
	return []Event{
		{
			Name: "BeforeTool", Kind: BeforeTool, Matches: ToolName, Timeout: limit, Bridged: true,
			Fields: geminiFields("BeforeTool", call()...),
			Rows:   geminiBeforeTool(),
			Lost: []string{
				"a question is a denial: Gemini CLI would wait for ever where nobody can answer",
				"context has no effect here; it is taken after the tool",
				"an argument cannot be taken away, since rewritten ones are merged over the call's",
			},
		},
		{
			Name: "AfterTool", Kind: AfterTool, Matches: ToolName, Timeout: limit, Bridged: true,
			Fields: geminiFields("AfterTool", call(Field{Name: "tool_response", Value: ToolOutput, Form: AsResult})...),
			Rows: geminiDecides(
				Row{Path: "reason", Set: SetOutput, Needs: []string{`decision="deny"`}, Writes: true,
					Costs: "shows the new result to the model as an error"},
				Row{Path: "hookSpecificOutput.additionalContext", Set: SetContext,
					When: []string{`!decision="deny"`, `!decision="block"`}},
				Row{Path: "hookSpecificOutput.additionalContext", Set: NoEffect},
				Row{Path: "hookSpecificOutput.tool_output", Set: NoEffect},
				Row{Path: "hookSpecificOutput.tailToolCallRequest", Set: NoEffect},
			),
			DenyReplaces: true,
			Lost: []string{
				"a new result is shown to the model as an error",
				"context has no effect beside a denial or a new result",
			},
		},
		{
			Name: "Notification", Kind: AskPermission, Matches: Notice, Timeout: limit,
			Fields: geminiFields("Notification",
				Field{Name: "notification_type", Value: Notice, Const: `"ToolPermission"`},
				Field{Name: "message", Value: Question, Const: `""`},
				Field{Name: "details", Value: ToolInput, Form: AsGeminiDetails}),
			Rows: geminiShown(),
			Lost: []string{"a hook only hears of it, and headless runs never ask; the tools are guarded at BeforeTool"},
		},
	}
}

func geminiBeforeTool() []Row {
	return []Row{
		{Path: "decision", Is: `"deny"`, Set: SetDecision, To: "deny"},
		{Path: "decision", Is: `"block"`, Set: SetDecision, To: "deny"},
		{Path: "decision", Is: `"ask"`, Set: SetDecision, To: "ask"},
		{Path: "decision", Is: `"allow"`, Set: Silent}, // the program asks the person all the same
		{Path: "decision", Is: `"approve"`, Set: Silent},
		{Path: "reason", Set: SetReason},
		{Path: "continue", Is: "false", Set: SetHalt},
		{Path: "stopReason", Set: SetHaltReason},
		{Path: "systemMessage", Set: SetSystemMessage},
		{Path: "suppressOutput", Set: Silent},
		{Path: "hookSpecificOutput.hookEventName", Set: Silent},
		{Path: "hookSpecificOutput.tool_input", Set: SetInputPatch},
		{Path: "hookSpecificOutput.additionalContext", Set: NoEffect},
	}
}
