// Package droid has the facts about Factory Droid: its table and its settings files. testdata has payloads that the
// program wrote to its hooks, and how the table reads them.
package droid

import (
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

// Agent is Factory Droid: Claude Code's events with different tools. Fewer answers have an effect.
func Agent() engine.Agent {
	return engine.Agent{Names: []string{"droid", "factory-droid"}, Table: table}
}

func table() engine.Dialect {
	return engine.Dialect{
		Title:    "Factory Droid",
		Facts:    engine.Facts{Driven: "0.215.0", Date: "2026-11-28", Read: "the vendor's documentation of 2026"},
		Sessions: engine.SessionFiles{Path: ".factory/sessions/*/*.jsonl"},
		Places:   places(), Shape: shape(), Servers: servers(), Events: events(),
		Matcher: engine.MatcherRule{Lookaround: true},
		Tools:   toolNames(), MCPName: "%s___%s",
		Words: engine.Words{
			{Value: engine.PermissionMode, Ours: "default", Theirs: "off"},
			{Value: engine.PermissionMode, Ours: "trusted", Theirs: "auto-high"},
			{Value: engine.Reason, Ours: "exit", Theirs: "other"}, {Value: engine.Reason, Ours: "error", Theirs: "other"},
			{Value: engine.Reason, Ours: "interrupt", Theirs: "other"},
		},
		Environment: environment(),
		Shell:       []string{"sh", "-c"}, Dedup: "command",
		PlainText: engine.TextIgnored, NoReason: "Tool execution denied by hook",
		Exits: []engine.Exit{
			{Status: "0", JSON: engine.JSONDecides, Then: engine.EndsOK},
			{Status: "2", JSON: engine.JSONBeside, Then: engine.EndsDenied, NoText: "Tool execution blocked by hook"},
			{Status: "3", JSON: engine.JSONIgnored, Then: engine.EndsHalted},
			{Status: engine.OtherStatus, JSON: engine.JSONDecides, Then: engine.EndsFailed},
		},
	}
}

// toolNames is how Factory Droid names its tools.
func toolNames() toolnames.Table {
	arg := toolnames.Arg
	path := arg("path", "file_path")
	return toolnames.Table{
		{Category: tools.CategoryShell, Ours: "shell_exec", All: true, Name: "Execute", Subject: arg("command", "command"),
			Arguments: []toolnames.Argument{arg("timeout_secs", "timeout")}},
		{Category: tools.CategoryRead, Ours: "read_file", All: true, Name: "Read", Subject: path},
		{Category: tools.CategoryWrite, Ours: "write_file", All: true, Name: "Create", Subject: path},
		{Category: tools.CategoryEdit, Ours: "file_edit", All: true, Name: "Edit", Subject: path,
			Arguments: []toolnames.Argument{arg("old_string", "old_str"), arg("new_string", "new_str"),
				arg("replace_all", "change_all")}},
		{Category: tools.CategorySearch, Ours: "glob_files", Name: "Glob", Subject: arg("path", "folder")},
		{Category: tools.CategorySearch, Ours: "grep_files", Name: "Grep", Subject: arg("path", "path"),
			Arguments: []toolnames.Argument{arg("file_pattern", "glob_pattern"), arg("context_lines", "context"),
				arg("ignore_case", "case_insensitive"), arg("max_results", "head_limit")}},
		{Category: tools.CategorySearch, Ours: "dir_list", Name: "LS", Subject: arg("path", "directory_path")},
		{Category: tools.CategoryFetch, Ours: "fetch_url", All: true, Name: "FetchUrl", Subject: arg("url", "url")},
		{Category: tools.CategoryAgent, Ours: "spawn_agent", All: true, Name: "Task",
			Arguments: []toolnames.Argument{arg("task", "prompt"), arg("agent", "subagent_type")}},
		{Ours: "update_todos", Name: "TodoWrite"},
	}
}

// environment are the variables of hooks: the project's directory, and simple members of the payload under their
// names in it. Only Factory Droid can set variables without a value.
func environment() (list []engine.Variable) {
	for _, name := range []string{"FACTORY", "DROID", "CLAUDE"} {
		list = append(list, engine.Variable{Name: name + "_PROJECT_DIR", Value: engine.Project})
	}
	for _, name := range []string{"DROID", "CLAUDE"} { // a plugin's hooks get its directory there
		list = append(list, engine.Variable{Name: name + "_PLUGIN_ROOT", Const: "/PLUGIN_ROOT_NOT_EXPANDED_ERROR"})
	}
	calls := []string{"PreToolUse", "PostToolUse"}
	return append(list, engine.Variable{Name: "session_id", Value: engine.Session},
		engine.Variable{Name: "transcript_path", Value: engine.Transcript}, engine.Variable{Name: "cwd", Value: engine.Cwd},
		engine.Variable{Name: "permission_mode", Value: engine.PermissionMode},
		engine.Variable{Name: "hook_event_name", Value: engine.EventName},
		engine.Variable{Name: "tool_name", Value: engine.ToolName, Events: calls},
		engine.Variable{Name: "tool_response", Value: engine.ToolOutput, Events: calls[1:]},
		engine.Variable{Name: "source", Value: engine.Source, Events: []string{"SessionStart"}},
		engine.Variable{Name: "CLAUDE_ENV_FILE", Value: engine.EnvFile, Events: []string{"SessionStart"}},
		engine.Variable{Name: "reason", Value: engine.Reason, Events: []string{"SessionEnd"}},
		engine.Variable{Name: "message_count", Value: engine.Messages, Events: []string{"SessionEnd"}},
		engine.Variable{Name: "stop_hook_active", Value: engine.StopActive, Events: []string{"Stop"}},
		engine.Variable{Name: "message_id"}, engine.Variable{Name: "session_duration_ms"},
		engine.Variable{Name: "tool_execution_count"}, engine.Variable{Name: "elapsed_time"})
}

// places are Factory Droid's settings files. A file with hooks alone takes the place of the settings beside it.
func places() []engine.Place {
	return []engine.Place{
		{Scope: engine.ScopeUser, Path: ".factory/hooks.json", Format: "json", Write: true, Whole: true, Alone: true},
		{Scope: engine.ScopeUser, Path: ".factory/settings.json", Format: "jsonc", Write: true},
		{Scope: engine.ScopeProject, Path: ".factory/hooks.json", Format: "json", Write: true, Whole: true, Alone: true},
		{Scope: engine.ScopeProject, Path: ".factory/settings.json", Format: "jsonc", Write: true},
	}
}

// shape is how Factory Droid's settings files list hooks.
func shape() engine.Shape {
	return engine.Shape{Root: "hooks", Groups: true, Timeout: "timeout", Unit: time.Second,
		Kinds: []engine.HandlerKind{engine.CommandHandler}}
}

func servers() engine.ServerPlaces {
	const extra = `"type":"stdio"`
	return engine.ServerPlaces{
		{Place: engine.Place{Scope: engine.ScopeUser, Path: ".factory/mcp.json", Format: "json"}, Root: "mcpServers",
			Extra: extra},
		{Place: engine.Place{Scope: engine.ScopeProject, Path: ".factory/mcp.json", Format: "json"}, Root: "mcpServers",
			Extra: extra},
	}
}
