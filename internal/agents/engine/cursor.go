package engine

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// cursorLimit is the time limit of hooks that have none: Cursor's documentation does not say
// what its own is.
const cursorLimit = 60 * time.Second

// cursor is Cursor.
func cursor() Dialect {
	return Dialect{
		Name: "cursor", Aliases: []string{"cursor-cli", "cursor-agent"}, Title: "Cursor",
		Facts:  Facts{Date: "2026-11-22", Read: "the vendor's documentation"},
		Places: cursorPlaces(), Shape: cursorShape(), Servers: cursorServers(),
		Tools: cursorTools(), AbsolutePaths: true, MCPName: "MCP:%[2]s",
		Results: []Result{
			{Categories: []tools.Category{tools.CategoryShell}, Fields: []Field{
				{Name: "exitCode", Value: ToolExit, Const: "0"}, {Name: "stdout", Value: ToolOutput},
			}},
			{Fields: []Field{{Name: "result", Value: ToolOutput}}},
		},
		Words: []Word{
			{Value: FailureKind, Ours: "interrupted", Theirs: "aborted"},
			{Value: Reason, Ours: "other", Theirs: "completed"}, {Value: Reason, Ours: "exit", Theirs: "user_close"},
			{Value: Reason, Ours: "clear", Theirs: "user_close"}, {Value: Reason, Ours: "interrupt", Theirs: "aborted"},
			{Value: ToolStatus, Ours: "ran", Theirs: "completed"}, {Value: ToolStatus, Ours: "failed", Theirs: "error"},
		},
		Environment: []Variable{
			{Name: "CURSOR_PROJECT_DIR", Value: Project}, {Name: "CURSOR_VERSION", Value: AgentVersion},
			{Name: "CURSOR_TRANSCRIPT_PATH", Value: Transcript},
			{Name: "CLAUDE_PROJECT_DIR", Value: Project},
		},
		Shell:     []string{"sh", "-c"},
		Newline:   true,
		PlainText: TextFailed,
		Matcher:   MatcherRule{Lookaround: true},
		Exits: []Exit{
			{Status: "0", JSON: "decides", Then: "ok"},
			{Status: "2", JSON: "ignored", Then: "deny"},
		},
		MaxContinuations: 5,
		HasAsk:           true,
		Events:           slices.Concat(cursorToolEvents(), cursorAfterToolEvents(), cursorTurnEvents(), cursorAgentEvents()),
		Exceptions: []Exception{
			{Function: "cursorEdits", Reason: "the changes of a file are a list of pairs of texts there, whatever the tool is"},
		},
	}
}

// cursorTools is how Cursor names its tools. Write also stands for edits in its documentation.
func cursorTools() toolnames.Table {
	arg := toolnames.Arg
	file := arg("path", "file_path")
	return toolnames.Table{
		{Category: tools.CategoryShell, Ours: "shell_exec", All: true, Name: "Shell", Subject: arg("command", "command"),
			Arguments: []toolnames.Argument{arg("cwd", "working_directory")}},
		{Category: tools.CategoryRead, Ours: "read_file", All: true, Name: "Read", Subject: file},
		{Category: tools.CategoryWrite, Ours: "write_file", All: true, Name: "Write", Subject: file},
		{Category: tools.CategoryEdit, Ours: "file_edit", All: true, Name: "Write", Also: []string{"StrReplace", "Edit"},
			Subject: file},
		{Category: tools.CategorySearch, Ours: "glob_files", Name: "Glob", Subject: arg("path", "path")},
		{Category: tools.CategorySearch, Ours: "grep_files", Name: "Grep", Subject: arg("path", "path")},
		{Category: tools.CategoryAgent, Ours: "spawn_agent", Name: "Task",
			Arguments: []toolnames.Argument{arg("task", "prompt"), arg("agent", "subagent_type")}},
	}
}

// cursorFields are the fields of an event.
func cursorFields(event string, fields ...Field) []Field {
	return append([]Field{
		{Name: "conversation_id", Value: Session}, {Name: "generation_id", Value: PromptID}, {Name: "model", Value: Model},
		{Name: "hook_event_name", Const: `"` + event + `"`}, {Name: "cursor_version", Value: AgentVersion},
		{Name: "workspace_roots", Value: Cwd, Form: AsListOfOne}, {Name: "user_email"},
		{Name: "transcript_path", Value: Transcript},
	}, fields...)
}

// cursorMessages are the texts beside a decision: one for the model, one for the person, which
// the model gets if there is no other; both in the spelling of older scripts too.
func cursorMessages() []Row {
	return []Row{
		{Path: "agent_message", Set: SetReason}, {Path: "agentMessage", Set: SetReason},
		{Path: "user_message", Set: SetReason}, {Path: "userMessage", Set: SetReason},
		{Path: "user_message", Set: SetSystemMessage}, {Path: "userMessage", Set: SetSystemMessage},
		{Path: "continue", Set: Silent},
	}
}

// cursorPermission are the members of a decision.
func cursorPermission(rows ...Row) []Row {
	return slices.Concat([]Row{
		{Path: "permission", Is: `"deny"`, Set: SetDecision, To: "deny"},
		{Path: "permission", Is: `"allow"`, Set: SetDecision, To: "allow"},
	}, rows, cursorMessages())
}

// cursorToolEvents are the events before a tool. Of one call of the shell, of an MCP tool or of
// a read there are two: preToolUse first.
func cursorToolEvents() []Event {
	ask := Row{Path: "permission", Is: `"ask"`, Set: SetDecision, To: "ask"}
	return []Event{
		{
			Name: "preToolUse", Kind: BeforeTool, Matches: ToolName, Timeout: cursorLimit, Bridged: true,
			Fields: cursorFields("preToolUse", Field{Name: "tool_name", Value: ToolName, Form: AsTool},
				Field{Name: "tool_input", Value: ToolInput, Form: AsInput}, Field{Name: "tool_use_id", Value: CallID},
				Field{Name: "cwd", Value: Cwd}, Field{Name: "agent_message", Value: Response, Optional: true}),
			Rows: cursorPermission(Row{Path: "permission", Is: `"ask"`, Set: NoEffect},
				Row{Path: "updated_input", Set: SetInput}),
			Lost: []string{
				"a question is a denial here; Cursor asks before commands and MCP calls only",
				"an end of the turn is a denial of the call",
				"context is not taken here; it is taken after the tool",
			},
		},
		{
			Name: "beforeShellExecution", Kind: BeforeShell, Matches: Command, Timeout: cursorLimit, Bridged: true,
			Fields: cursorFields("beforeShellExecution", Field{Name: "command", Value: Command}, Field{Name: "cwd", Value: Cwd},
				Field{Name: "sandbox", Const: "false"}),
			Rows: cursorPermission(ask),
		},
		{
			Name: "beforeMCPExecution", Kind: BeforeMCP, Matches: ServerTool, Timeout: cursorLimit, Bridged: true,
			Fields: cursorFields("beforeMCPExecution", Field{Name: "tool_name", Value: ServerTool},
				Field{Name: "tool_input", Value: ToolInput, Form: AsInputText}, Field{Name: "url", Optional: true},
				Field{Name: "command", Optional: true}),
			Rows: cursorPermission(ask),
			Lost: []string{"Cursor tells the tool's name and the server's address, not its name"},
		},
		{
			Name: "beforeReadFile", Kind: BeforeRead, Timeout: cursorLimit, Bridged: true,
			Fields: cursorFields("beforeReadFile", Field{Name: "file_path", Value: Path},
				Field{Name: "content", Value: FileContent, Const: `""`}, Field{Name: "attachments", Const: "[]"}),
			Rows: cursorPermission(Row{Path: "permission", Is: `"ask"`, Set: NoEffect}),
			Lost: []string{"a question is a denial here"},
		},
	}
}

// cursorAfterToolEvents are the events after a tool.
func cursorAfterToolEvents() []Event {
	call := func(more ...Field) []Field {
		return append([]Field{
			{Name: "tool_name", Value: ToolName, Form: AsTool}, {Name: "tool_input", Value: ToolInput, Form: AsInput},
		}, more...)
	}
	id, cwd := Field{Name: "tool_use_id", Value: CallID}, Field{Name: "cwd", Value: Cwd}
	duration := Field{Name: "duration", Value: Duration, Const: "0"}
	return []Event{
		{
			Name: "postToolUse", Kind: ToolSucceeded, Matches: ToolName, Timeout: cursorLimit, Bridged: true,
			Fields: cursorFields("postToolUse", call(Field{Name: "tool_output", Value: ToolOutput, Form: AsResultText}, id, cwd,
				duration)...),
			Rows: []Row{
				{Path: "additional_context", Set: SetContext},
				{Path: "updated_mcp_tool_output", Set: SetOutput, Reads: true},
			},
			Lost: []string{"a result cannot be replaced, and the turn cannot be ended"},
		},
		{
			Name: "postToolUseFailure", Kind: ToolFailed, Matches: ToolName, Timeout: cursorLimit, Bridged: true,
			Fields: cursorFields("postToolUseFailure", call(id, cwd, Field{Name: "error_message", Value: ToolError},
				Field{Name: "failure_type", Const: `"error"`}, duration, Field{Name: "is_interrupt", Const: "false"})...),
			Lost: []string{"nothing can be added to the error"},
		},
		{
			Name: "afterShellExecution", Kind: AfterShell, Matches: Command, Timeout: cursorLimit,
			Fields: cursorFields("afterShellExecution", Field{Name: "command", Value: ToolInput, Form: AsSubject},
				Field{Name: "output", Value: ToolOutput}, duration, Field{Name: "sandbox", Const: "false"}),
			Lost: []string{"nothing is added for it: postToolUse says the same"},
		},
		{
			Name: "afterMCPExecution", Kind: AfterMCP, Matches: ServerTool, Timeout: cursorLimit,
			Fields: cursorFields("afterMCPExecution", Field{Name: "tool_name", Value: ServerTool},
				Field{Name: "tool_input", Value: ToolInput, Form: AsInputText},
				Field{Name: "result_json", Value: ToolOutput, Form: AsMCPResult}, duration),
			Lost: []string{"nothing is added for it: postToolUse says the same"},
		},
		{
			Name: "afterFileEdit", Kind: AfterEdit, Timeout: cursorLimit,
			Fields: cursorFields("afterFileEdit", Field{Name: "file_path", Value: ToolInput, Form: AsSubject},
				Field{Name: "edits", Value: ToolInput, Form: AsEdits}),
			Lost: []string{"nothing is added for it: postToolUse says the same"},
		},
	}
}

// cursorEdits writes the arguments of a tool that writes or edits a file as the list of texts
// that were replaced.
func cursorEdits(arguments json.RawMessage) json.RawMessage {
	call := gjson.ParseBytes(arguments)
	edits, err := strictjson.Encode([]map[string]string{{
		"old_string": firstText(call, "old_string", "find"),
		"new_string": firstText(call, "new_string", "replace", "content"),
	}})
	if err != nil { // strings can always be encoded
		return json.RawMessage("[]")
	}
	return edits
}
