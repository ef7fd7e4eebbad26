// Package qwen has the facts about Qwen Code: its table and its settings files. testdata has payloads that the
// program wrote to its hooks, and how the table reads them.
package qwen

import (
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

// Agent is Qwen Code: Claude Code's events with Gemini CLI's tools and clock. Fewer answers have an effect.
func Agent() engine.Agent {
	return engine.Agent{Names: []string{"qwen", "qwen-code"}, Table: table}
}

func table() engine.Dialect {
	return engine.Dialect{
		Title:    "Qwen Code",
		Facts:    engine.Facts{Driven: "0.24.4", Date: "2026-11-22", Read: "the vendor's newest documentation of 2026"},
		Sessions: engine.SessionFiles{Path: ".qwen/projects/*/chats/*.jsonl"},
		Places:   places(), Shape: shape(), Events: events(), Servers: servers(),
		Matcher: engine.MatcherRule{Literal: true, Lookaround: true},
		Tools:   toolNames(), AbsolutePaths: true, MCPName: "mcp__%s__%s", PathLoses: `\`,
		Results: []engine.Result{{Fields: []engine.Field{engine.Holds("llmContent", engine.ToolOutput),
			{Name: "returnDisplay", Value: engine.ToolOutput, Writes: true}}}},
		Words: engine.Words{
			{Value: engine.PermissionMode, Ours: "trusted", Theirs: "yolo"},
			{Value: engine.Reason, Ours: "other", Theirs: "other"},
			{Value: engine.Reason, Ours: "exit", Theirs: "prompt_input_exit"},
			{Value: engine.Reason, Ours: "error", Theirs: "other"},
			{Value: engine.Reason, Ours: "interrupt", Theirs: "other"},
			{Value: engine.FailureKind, Ours: "error", Theirs: "unknown"},
			{Value: engine.ToolStatus, Ours: "ran", Theirs: "success"},
			{Value: engine.ToolStatus, Ours: "failed", Theirs: "error"},
		},
		Environment: environment(),
		Shell:       []string{"bash", "-c"}, Dedup: "command", MaxContinuations: 7, HasAsk: true,
		PlainText: engine.TextIgnored,
		NoReason:  "Blocked by hook", Extensions: true,
		Exits: []engine.Exit{
			{Status: "0", JSON: engine.JSONDecides, Then: engine.EndsOK},
			{Status: "1", JSON: engine.JSONDecides, Then: engine.EndsFailed},
			{Status: "2", JSON: engine.JSONIgnored, Then: engine.EndsDenied, NeedsText: true},
		},
	}
}

// fields are the members of every payload, then the members of one event.
func fields(own ...engine.Field) []engine.Field {
	return slices.Concat([]engine.Field{engine.Holds("session_id", engine.Session),
		engine.Holds("transcript_path", engine.Transcript), engine.Holds("cwd", engine.Cwd),
		engine.Holds("hook_event_name", engine.EventName), engine.Holds("timestamp", engine.Time),
		engine.Holds("permission_mode", engine.PermissionMode),
		engine.Optional("agent_id", engine.AgentID)}, own)
}

// rows are the members of an answer at an event: its own, and the members of all events.
func rows(own ...engine.Row) []engine.Row {
	return append(own,
		engine.Row{Path: "hookSpecificOutput.hookEventName", Set: engine.Silent},
		engine.Row{Path: "continue", Is: "false", Set: engine.NoEffect},
		engine.Row{Path: "continue", Is: "true", Set: engine.Silent},
		engine.Row{Path: "stopReason", Set: engine.NoEffect},
		engine.Row{Path: "systemMessage", Set: engine.SetSystemMessage},
		engine.Row{Path: "suppressOutput", Set: engine.Silent})
}

// contextRow is text for the model.
func contextRow() engine.Row {
	return engine.Row{Path: "hookSpecificOutput.additionalContext", Set: engine.SetContext}
}

// block is a denial: by a decision, or by "continue": false, which does not end the turn there.
func block() []engine.Row {
	return []engine.Row{
		{Path: "decision", Is: `"block"`, Set: engine.SetDecision, To: "deny"},
		{Path: "decision", Is: `"deny"`, Set: engine.SetDecision, To: "deny"},
		{Path: "decision", Set: engine.Silent},
		{Path: "reason", Set: engine.SetReason},
		{Path: "continue", Is: "false", Set: engine.SetDecision, To: "deny"},
		{Path: "stopReason", Set: engine.SetReason, Needs: []engine.Condition{engine.Is("continue", "false")}},
	}
}

// commandLimit is how long a command may take.
const commandLimit = 60 * time.Second

// toolNames is how Qwen Code names its tools; Also are the names that it shows.
func toolNames() toolnames.Table {
	path := toolnames.Arg("path", "file_path")
	in := toolnames.Arg("path", "path")
	return toolnames.Table{
		{Category: tools.CategoryShell, Ours: "shell_exec", All: true, Name: "run_shell_command",
			Also: []string{"Shell", "ShellTool"}, Subject: toolnames.Arg("command", "command"),
			Arguments: []toolnames.Argument{{Ours: "timeout_secs", Theirs: "timeout", Times: 1000},
				toolnames.Arg("cwd", "directory")}},
		{Category: tools.CategoryRead, Ours: "read_file", All: true, Name: "read_file",
			Also: []string{"ReadFile", "ReadFileTool"}, Subject: path},
		{Category: tools.CategoryWrite, Ours: "write_file", All: true, Name: "write_file",
			Also: []string{"WriteFile", "WriteFileTool"}, Subject: path},
		{Category: tools.CategoryEdit, Ours: "file_edit", All: true, Name: "edit", Also: []string{"Edit", "EditTool"},
			Subject: path},
		{Category: tools.CategorySearch, Ours: "glob_files", Name: "glob", Also: []string{"Glob", "GlobTool"}, Subject: in},
		{Category: tools.CategorySearch, Ours: "grep_files", Name: "grep_search", Also: []string{"Grep", "GrepTool"},
			Subject: in, Arguments: []toolnames.Argument{toolnames.Arg("file_pattern", "glob"),
				toolnames.Arg("max_results", "limit")}},
		{Category: tools.CategorySearch, Ours: "dir_list", Name: "list_directory",
			Also: []string{"ListFiles", "ReadFolder", "ReadFolderTool"}, Subject: in},
		{Category: tools.CategoryFetch, Ours: "fetch_url", All: true, Name: "web_fetch",
			Also: []string{"WebFetch", "WebFetchTool"}, Subject: toolnames.Arg("url", "url")},
		{Category: tools.CategoryAgent, Ours: "spawn_agent", All: true, Name: "agent",
			Also:      []string{"Agent", "task", "Task"},
			Arguments: []toolnames.Argument{toolnames.Arg("task", "prompt"), toolnames.Arg("agent", "subagent_type")}},
		{Ours: "update_todos", Name: "todo_write", Also: []string{"TodoWrite", "TodoWriteTool"}},
	}
}

// environment are the variables of hooks. Only Qwen Code can set variables without a value.
func environment() (list []engine.Variable) {
	list = []engine.Variable{
		{Name: "QWEN_PROJECT_DIR", Value: engine.Project}, {Name: "GEMINI_PROJECT_DIR", Value: engine.Project},
		{Name: "CLAUDE_PROJECT_DIR", Value: engine.Project},
		{Name: "QWEN_CODE_SESSION_ID", Value: engine.Session}, {Name: "QWEN_CODE_PROMPT_ID", Value: engine.PromptID},
		{Name: "QWEN_CODE_AGENT_ID", Value: engine.AgentID}, {Name: "QWEN_CODE_MODEL", Value: engine.Model},
		{Name: "QWEN_CODE_STARTUP_VERSION", Const: "0.24.4"}, {Name: "QWEN_CODE_NO_RELAUNCH", Const: "true"},
	}
	for _, name := range strings.Fields("CLI LAUNCHER_PID MANAGED_NPM_PIN MANAGED_NPM_ROOT MODEL_IDENTITY " +
		"PRIVATE_RELAUNCH_ENV_PROVENANCE PROJECT_DIR") {
		list = append(list, engine.Variable{Name: "QWEN_CODE_" + name})
	}
	return list
}

// places are Qwen Code's settings files.
func places() []engine.Place {
	return []engine.Place{
		{Scope: engine.ScopeUser, Path: ".qwen/settings.json", Format: "jsonc", Write: true},
		{Scope: engine.ScopeProject, Path: ".qwen/settings.json", Format: "jsonc", Write: true},
		{Scope: engine.ScopeSystem, Path: "/etc/qwen-code/settings.json", Format: "jsonc"},
	}
}

// shape is how Qwen Code's settings files list hooks.
func shape() engine.Shape {
	return engine.Shape{Root: "hooks", Groups: true, Timeout: "timeout", Unit: time.Millisecond,
		Disable:  "disableAllHooks",
		Once:     true,
		NoEvents: []string{"enabled", "disabled", "notifications"}, Seconds: []engine.HandlerKind{engine.HTTPHandler,
			engine.PromptHandler},
		Kinds: []engine.HandlerKind{engine.CommandHandler, engine.HTTPHandler, engine.PromptHandler},
		Limits: map[engine.HandlerKind]time.Duration{engine.HTTPHandler: 600 * time.Second,
			engine.PromptHandler: 30 * time.Second}}
}

func servers() engine.ServerPlaces {
	return engine.ServerPlaces{
		{Place: engine.Place{Scope: engine.ScopeUser, Path: ".qwen/settings.json", Format: "jsonc"}, Root: "mcpServers"},
		{Place: engine.Place{Scope: engine.ScopeProject, Path: ".qwen/settings.json", Format: "jsonc"}, Root: "mcpServers"},
	}
}
