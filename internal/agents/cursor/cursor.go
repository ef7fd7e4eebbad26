// Package cursor has the facts about Cursor: its table and its settings files. testdata has payloads of its hooks,
// and how the table reads them.
package cursor

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// timeLimit is the time limit of hooks that have none. Cursor's documentation does not name one.
const timeLimit = 60 * time.Second

// Agent is Cursor.
func Agent() engine.Agent {
	return engine.Agent{Names: []string{"cursor", "cursor-cli", "cursor-agent"}, Table: table,
		Starts: []engine.Start{{Agent: "claude", TakesTheirs: true,
			Marks: []engine.Mark{{Has: []string{"conversation_id", "cursor_version"}}}}}}
}

func table() engine.Dialect {
	return engine.Dialect{
		Title:  "Cursor",
		Facts:  engine.Facts{Date: "2026-11-22", Read: "the vendor's documentation"},
		Places: places(), Reads: reads(), Shape: shape(), Servers: servers(),
		Tools: toolNames(), AbsolutePaths: true, MCPName: "MCP:%[2]s",
		Results: []engine.Result{
			{Categories: []tools.Category{tools.CategoryShell}, Fields: []engine.Field{
				{Name: "exitCode", Value: engine.ToolExit, Const: "0"}, {Name: "stdout", Value: engine.ToolOutput},
			}},
			{Fields: []engine.Field{{Name: "result", Value: engine.ToolOutput}}},
		},
		Words: []engine.Word{
			{Value: engine.FailureKind, Ours: "interrupted", Theirs: "aborted"},
			{Value: engine.Reason, Ours: "other", Theirs: "completed"},
			{Value: engine.Reason, Ours: "exit", Theirs: "user_close"},
			{Value: engine.Reason, Ours: "clear", Theirs: "user_close"},
			{Value: engine.Reason, Ours: "interrupt", Theirs: "aborted"},
			{Value: engine.ToolStatus, Ours: "ran", Theirs: "completed"},
			{Value: engine.ToolStatus, Ours: "failed", Theirs: "error"},
		},
		Environment: []engine.Variable{
			{Name: "CURSOR_PROJECT_DIR", Value: engine.Project}, {Name: "CURSOR_VERSION", Value: engine.AgentVersion},
			{Name: "CURSOR_TRANSCRIPT_PATH", Value: engine.Transcript},
			{Name: "CLAUDE_PROJECT_DIR", Value: engine.Project},
		},
		Shell:     []string{"sh", "-c"},
		Newline:   true,
		PlainText: engine.TextFailed,
		Matcher:   engine.MatcherRule{Lookaround: true},
		Exits: []engine.Exit{
			{Status: "0", JSON: engine.JSONDecides, Then: engine.EndsOK},
			{Status: "2", JSON: engine.JSONIgnored, Then: engine.EndsDenied},
		},
		MaxContinuations: 5,
		HasAsk:           true,
		Own:              own{},
		Events:           slices.Concat(toolEvents(), afterToolEvents(), turnEvents(), agentEvents()),
		Exceptions: []engine.Exception{
			{Function: "cursorEdits", Reason: "the changes of a file are a list of pairs of texts there, whatever the tool is"},
		},
	}
}

// toolNames is how Cursor names its tools. Write also stands for edits in its documentation.
func toolNames() toolnames.Table {
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

// fields are the fields of an event.
func fields(event string, fields ...engine.Field) []engine.Field {
	return append([]engine.Field{
		{Name: "conversation_id", Value: engine.Session}, {Name: "generation_id", Value: engine.PromptID},
		{Name: "model", Value: engine.Model},
		{Name: "hook_event_name", Const: `"` + event + `"`}, {Name: "cursor_version", Value: engine.AgentVersion},
		{Name: "workspace_roots", Value: engine.Cwd, Form: engine.AsListOfOne}, {Name: "user_email"},
		{Name: "transcript_path", Value: engine.Transcript},
	}, fields...)
}

// messages are the texts beside a decision: one for the model and one for the person. The model gets the person's
// if it has none. Both also have the spelling of older scripts.
func messages() []engine.Row {
	return []engine.Row{
		{Path: "agent_message", Set: engine.SetReason}, {Path: "agentMessage", Set: engine.SetReason},
		{Path: "user_message", Set: engine.SetReason}, {Path: "userMessage", Set: engine.SetReason},
		{Path: "user_message", Set: engine.SetSystemMessage}, {Path: "userMessage", Set: engine.SetSystemMessage},
		{Path: "continue", Is: "false", Set: engine.NoEffect}, {Path: "continue", Set: engine.Silent},
	}
}

// permissionRows are the members of a decision.
func permissionRows(rows ...engine.Row) []engine.Row {
	return slices.Concat(engine.Decides("permission", "deny", "allow"), rows, messages())
}

// toolEvents are the events before a tool. A call of the shell or of an MCP tool, and a read, have two: preToolUse
// first.
func toolEvents() []engine.Event {
	ask := engine.Row{Path: "permission", Is: `"ask"`, Set: engine.SetDecision, To: "ask"}
	return []engine.Event{
		{
			Name: "preToolUse", Kind: engine.BeforeTool, Matches: engine.ToolName, Timeout: timeLimit, Bridged: true,
			Fields: fields("preToolUse", engine.Formed("tool_name", engine.ToolName, engine.AsTool),
				engine.Formed("tool_input", engine.ToolInput, engine.AsInput), engine.Holds("tool_use_id", engine.CallID),
				engine.Holds("cwd", engine.Cwd), engine.Optional("agent_message", engine.Response)),
			Rows: permissionRows(engine.Row{Path: "permission", Is: `"ask"`, Set: engine.NoEffect},
				engine.Row{Path: "updated_input", Set: engine.SetInput}),
			Lost: []string{
				"A question becomes a denial here: Cursor asks only before commands and MCP calls.",
				"A plugin that ends the turn refuses the call.",
				"Cursor takes no context here: give it after the tool.",
			},
		},
		{
			Name: "beforeShellExecution", Kind: engine.BeforeShell, Matches: engine.Command, Timeout: timeLimit, Bridged: true,
			Fields: fields("beforeShellExecution", engine.Holds("command", engine.Command), engine.Holds("cwd", engine.Cwd),
				engine.Fixed("sandbox", "false")),
			Rows: permissionRows(ask),
		},
		{
			Name: "beforeMCPExecution", Kind: engine.BeforeMCP, Matches: engine.ServerTool, Timeout: timeLimit, Bridged: true,
			Fields: fields("beforeMCPExecution", engine.Holds("tool_name", engine.ServerTool),
				engine.Formed("tool_input", engine.ToolInput, engine.AsInputText), engine.Field{Name: "url", Optional: true},
				engine.Field{Name: "command", Optional: true}),
			Rows: permissionRows(ask),
			Lost: []string{"Cursor tells the tool's name and the server's address, but not the server's name."},
		},
		{
			Name: "beforeReadFile", Kind: engine.BeforeRead, Timeout: timeLimit, Bridged: true,
			Fields: fields("beforeReadFile", engine.Holds("file_path", engine.Path),
				engine.Usually("content", engine.FileContent, `""`), engine.Fixed("attachments", "[]")),
			Rows: permissionRows(engine.Row{Path: "permission", Is: `"ask"`, Set: engine.NoEffect}),
			Lost: []string{"A question becomes a denial here."},
		},
	}
}

// afterToolEvents are the events after a tool.
func afterToolEvents() []engine.Event {
	call := func(more ...engine.Field) []engine.Field {
		return append([]engine.Field{
			{Name: "tool_name", Value: engine.ToolName, Form: engine.AsTool},
			{Name: "tool_input", Value: engine.ToolInput, Form: engine.AsInput},
		}, more...)
	}
	id, cwd := engine.Holds("tool_use_id", engine.CallID), engine.Holds("cwd", engine.Cwd)
	duration := engine.Usually("duration", engine.Duration, "0")
	return []engine.Event{
		{
			Name: "postToolUse", Kind: engine.ToolSucceeded, Matches: engine.ToolName, Timeout: timeLimit, Bridged: true,
			Fields: fields("postToolUse", call(engine.Formed("tool_output", engine.ToolOutput, engine.AsResultText), id, cwd,
				duration)...),
			Rows: []engine.Row{
				{Path: "additional_context", Set: engine.SetContext},
				{Path: "updated_mcp_tool_output", Set: engine.SetOutput, Reads: true},
			},
			Lost: []string{"A plugin can neither replace a result nor end the turn here."},
		},
		{
			Name: "postToolUseFailure", Kind: engine.ToolFailed, Matches: engine.ToolName, Timeout: timeLimit, Bridged: true,
			Fields: fields("postToolUseFailure", call(id, cwd, engine.Holds("error_message", engine.ToolError),
				engine.Fixed("failure_type", `"error"`), duration, engine.Fixed("is_interrupt", "false"))...),
			Lost: []string{"A plugin cannot add a text to the error."},
		},
		{
			Name: "afterShellExecution", Kind: engine.AfterShell, Matches: engine.Command, Timeout: timeLimit,
			Fields: fields("afterShellExecution", engine.Formed("command", engine.ToolInput, engine.AsSubject),
				engine.Holds("output", engine.ToolOutput), duration, engine.Fixed("sandbox", "false")),
			Lost: []string{"chibi adds no entry for it: postToolUse tells the same."},
		},
		{
			Name: "afterMCPExecution", Kind: engine.AfterMCP, Matches: engine.ServerTool, Timeout: timeLimit,
			Fields: fields("afterMCPExecution", engine.Holds("tool_name", engine.ServerTool),
				engine.Formed("tool_input", engine.ToolInput, engine.AsInputText), engine.Formed("result_json", engine.ToolOutput,
					engine.AsMCPResult), duration),
			Lost: []string{"chibi adds no entry for it: postToolUse tells the same."},
		},
		{
			Name: "afterFileEdit", Kind: engine.AfterEdit, Timeout: timeLimit,
			Fields: fields("afterFileEdit", engine.Formed("file_path", engine.ToolInput, engine.AsSubject),
				engine.Formed("edits", engine.ToolInput, asEdits)),
			Lost: []string{"chibi adds no entry for it: postToolUse tells the same."},
		},
	}
}

// asEdits is a form that only Cursor has.
const asEdits engine.Form = "edits"

// own writes it. chibi does not read it.
type own struct{}

// Theirs writes the arguments of a call in it.
func (own) Theirs(form engine.Form, _ engine.Moment, value json.RawMessage) json.RawMessage {
	if form != asEdits {
		return value
	}
	return cursorEdits(value)
}

// Ours reads nothing of it: a different member names the file.
func (own) Ours(form engine.Form, value json.RawMessage) json.RawMessage {
	if form != asEdits {
		return value
	}
	return nil
}

// cursorEdits writes the arguments of a tool that writes or edits a file as a list of replaced texts.
func cursorEdits(arguments json.RawMessage) json.RawMessage {
	call := gjson.ParseBytes(arguments)
	edits, err := strictjson.Encode([]map[string]string{{
		"old_string": engine.FirstText(call, "old_string", "find"),
		"new_string": engine.FirstText(call, "new_string", "replace", "content"),
	}})
	if err != nil { // strings can always be encoded
		return json.RawMessage("[]")
	}
	return edits
}

// places are Cursor's settings files.
func places() []engine.Place {
	return []engine.Place{
		{Scope: engine.ScopeSystem, Path: "/etc/cursor/hooks.json", Format: "json", AtRoot: true, Whole: true},
		{Scope: engine.ScopeSystem, Path: "/Library/Application Support/Cursor/hooks.json", Format: "json", AtRoot: true,
			Whole: true},
		{Scope: engine.ScopeProject, Path: ".cursor/hooks.json", Format: "json", AtRoot: true, Write: true, Whole: true},
		{Scope: engine.ScopeUser, Path: ".cursor/hooks.json", Format: "json", AtRoot: true, Write: true, Whole: true},
	}
}

// reads are the files of Claude Code that Cursor's documentation says it reads.
func reads() []engine.Reading {
	return []engine.Reading{{Agent: "claude", Scopes: []string{engine.ScopeUser, engine.ScopeProject, engine.ScopeLocal},
		Names: "Cursor's names of tools, as its documentation shows",
		If:    "its setting \"Include third-party Plugins, Skills, and other configs\" is on"}}
}

// shape is how Cursor's settings files list hooks.
func shape() engine.Shape {
	return engine.Shape{Root: "hooks", Timeout: "timeout", Unit: time.Second, Version: 1,
		Kinds: []engine.HandlerKind{engine.CommandHandler, engine.PromptHandler}}
}

func servers() engine.ServerPlaces {
	return engine.ServerPlaces{
		{Place: engine.Place{Scope: engine.ScopeUser, Path: ".cursor/mcp.json", Format: "json"}, Root: "mcpServers"},
		{Place: engine.Place{Scope: engine.ScopeProject, Path: ".cursor/mcp.json", Format: "json"}, Root: "mcpServers"},
	}
}
