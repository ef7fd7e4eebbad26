package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

// qwen is Qwen Code: Claude Code's events, Gemini CLI's tools and clock, and fewer answers that
// have an effect.
func qwen() Dialect {
	return Dialect{
		Name: "qwen", Aliases: []string{"qwen-code"}, Title: "Qwen Code",
		Facts:  Facts{Driven: "0.24.4", Date: "2026-11-22", Read: "the vendor's newest documentation of 2026"},
		Places: qwenPlaces(), Shape: qwenShape(), Events: qwenEvents(), Servers: qwenServers(),
		Matcher: MatcherRule{Literal: true, Lookaround: true},
		Tools:   qwenTools(), AbsolutePaths: true, MCPName: "mcp__%s__%s",
		Results: []Result{{Fields: []Field{field("llmContent", ToolOutput),
			{Name: "returnDisplay", Value: ToolOutput, Writes: true}}}},
		Words: Words{
			{PermissionMode, "trusted", "yolo"},
			{Reason, "other", "other"}, {Reason, "exit", "prompt_input_exit"}, {Reason, "error", "other"},
			{Reason, "interrupt", "other"},
			{FailureKind, "error", "unknown"}, {ToolStatus, "ran", "success"}, {ToolStatus, "failed", "error"},
		},
		Environment: qwenEnvironment(),
		Shell:       []string{"bash", "-c"}, Dedup: "command", MaxContinuations: 7, HasAsk: true, PlainText: TextIgnored,
		NoReason: "Blocked by hook", Extensions: true,
		Exits: []Exit{
			{Status: "0", JSON: "decides", Then: "ok"},
			{Status: "1", JSON: "decides", Then: "failed"},
			{Status: "2", JSON: "ignored", Then: "deny", NeedsText: true},
		},
	}
}

// qwenFields are the members of every payload, then those of one event.
func qwenFields(own ...Field) []Field {
	return slices.Concat([]Field{field("session_id", Session), field("transcript_path", Transcript), field("cwd", Cwd),
		field("hook_event_name", EventName), field("timestamp", Time), field("permission_mode", PermissionMode),
		optional("agent_id", AgentID)}, own)
}

// qwenRows are the members of an answer at an event: its own, and those of all events.
func qwenRows(own ...Row) []Row {
	return append(own,
		Row{Path: "hookSpecificOutput.hookEventName", Set: Silent},
		Row{Path: "continue", Is: "false", Set: NoEffect},
		Row{Path: "continue", Is: "true", Set: Silent},
		Row{Path: "stopReason", Set: NoEffect},
		Row{Path: "systemMessage", Set: SetSystemMessage},
		Row{Path: "suppressOutput", Set: Silent})
}

// qwenContext is text for the model.
func qwenContext() Row { return Row{Path: "hookSpecificOutput.additionalContext", Set: SetContext} }

// qwenBlock is a denial: by a decision, or by "continue": false, which ends no turn there.
func qwenBlock() []Row {
	return []Row{
		{Path: "decision", Is: `"block"`, Set: SetDecision, To: "deny"},
		{Path: "decision", Is: `"deny"`, Set: SetDecision, To: "deny"},
		{Path: "decision", Set: Silent},
		{Path: "reason", Set: SetReason},
		{Path: "continue", Is: "false", Set: SetDecision, To: "deny"},
		{Path: "stopReason", Set: SetReason, Needs: []string{"continue=false"}},
	}
}

// qwenCommands is how long a command may take.
const qwenCommands = 60 * time.Second

// qwenTools is how Qwen Code names its tools; Also are the names that it shows.
func qwenTools() toolnames.Table {
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

// qwenEnvironment are the variables of hooks. Those without a value only Qwen Code can set.
func qwenEnvironment() (list []Variable) {
	list = []Variable{
		{Name: "QWEN_PROJECT_DIR", Value: Project}, {Name: "GEMINI_PROJECT_DIR", Value: Project},
		{Name: "CLAUDE_PROJECT_DIR", Value: Project},
		{Name: "QWEN_CODE_SESSION_ID", Value: Session}, {Name: "QWEN_CODE_PROMPT_ID", Value: PromptID},
		{Name: "QWEN_CODE_AGENT_ID", Value: AgentID}, {Name: "QWEN_CODE_MODEL", Value: Model},
		{Name: "QWEN_CODE_STARTUP_VERSION", Const: "0.24.4"}, {Name: "QWEN_CODE_NO_RELAUNCH", Const: "true"},
	}
	for _, name := range strings.Fields("CLI LAUNCHER_PID MANAGED_NPM_PIN MANAGED_NPM_ROOT MODEL_IDENTITY " +
		"PRIVATE_RELAUNCH_ENV_PROVENANCE PROJECT_DIR") {
		list = append(list, Variable{Name: "QWEN_CODE_" + name})
	}
	return list
}
