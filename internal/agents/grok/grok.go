// Package grok has the facts about Grok Build: its table and its settings files. testdata has payloads that the
// program wrote to its hooks, and how the table reads them.
package grok

import (
	"encoding/json"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// Agent is Grok Build: Claude Code's events and answers with different tools. Most members of payloads have two
// spellings.
func Agent() engine.Agent {
	return engine.Agent{Names: []string{"grok", "grok-build"}, Table: table, Starts: []engine.Start{{Agent: "claude",
		Marks: []engine.Mark{{Has: []string{"hookEventName", "hook_event_name", "sessionId", "session_id"}}}}}}
}

func table() engine.Dialect {
	return engine.Dialect{
		Title:    "Grok Build",
		Facts:    engine.Facts{Driven: "1.0.41", Date: "2026-11-28", Read: "the documentation that the program brings"},
		Sessions: engine.SessionFiles{Path: ".grok/sessions/*/*/updates.jsonl", Variable: "GROK_HOME"},
		Places:   places(), Reads: reads(), Shape: shape(), Servers: servers(), Events: events(),
		Matcher: engine.MatcherRule{Whole: true},
		Tools:   toolNames(), MCPName: "%s__%s", MCPInput: "tool_input", Results: results(),
		Words: engine.Words{
			{Value: engine.PermissionMode, Ours: "trusted", Theirs: "bypassPermissions"},
			{Value: engine.Source, Ours: "startup", Theirs: "new"}, {Value: engine.Source, Ours: "resume", Theirs: "load"},
			{Value: engine.Reason, Ours: "exit", Theirs: "shutdown"}, {Value: engine.Reason, Ours: "other", Theirs: "shutdown"},
			{Value: engine.Reason, Ours: "error", Theirs: "shutdown"},
			{Value: engine.Reason, Ours: "interrupt", Theirs: "shutdown"},
			{Value: engine.FailureKind, Ours: "error", Theirs: "unknown"},
			{Value: engine.FailureKind, Ours: "interrupted", Theirs: "user_interrupt"},
		},
		Environment: environment(),
		Shell:       []string{"sh", "-c"}, Dedup: "command", InTurn: true, MaxContinuations: 8,
		HasAsk: true, AskTrusts: true, PlainText: engine.TextIgnored, NoReason: "Blocked by hook",
		Exits: []engine.Exit{
			{Status: "0", JSON: engine.JSONDecides, Then: engine.EndsOK},
			{Status: "2", JSON: engine.JSONDenies, Then: engine.EndsDenied},
			{Status: engine.OtherStatus, JSON: engine.JSONDenies, Then: engine.EndsFailed},
		},
		Own: own{},
		Exceptions: []engine.Exception{{Function: "own",
			Reason: "results of commands have their bytes as a list of numbers besides the text"}},
	}
}

// asBytes is the form of a text whose bytes are a list of numbers.
const asBytes engine.Form = "bytes"

// own translates the form that only Grok Build has.
type own struct{}

// Theirs implements [engine.Own].
func (own) Theirs(form engine.Form, _ engine.Moment, value json.RawMessage) json.RawMessage {
	if form != asBytes {
		return value
	}
	numbers := []int{}
	for _, b := range []byte(gjson.ParseBytes(value).Str) {
		numbers = append(numbers, int(b))
	}
	list, _ := strictjson.Encode(numbers)
	return list
}

// Ours implements [engine.Own]: the text stands beside the bytes.
func (own) Ours(form engine.Form, value json.RawMessage) json.RawMessage {
	if form == asBytes {
		return nil
	}
	return value
}

// results are the shapes of tools' results. Each is an object with its type, of which the model gets one text.
func results() []engine.Result {
	shaped := func(kind string, fields []engine.Field, categories ...tools.Category) engine.Result {
		return engine.Result{Categories: categories, Fields: append([]engine.Field{engine.Fixed("type", `"`+kind+`"`)},
			fields...)}
	}
	text := func(names ...string) (fields []engine.Field) {
		for i, name := range names {
			fields = append(fields, engine.Field{Name: name, Value: engine.ToolOutput, Writes: i > 0})
		}
		return fields
	}
	bytes := engine.Field{Name: "output", Value: engine.ToolOutput, Form: asBytes, Writes: true}
	return []engine.Result{
		shaped("Bash", append([]engine.Field{bytes, engine.Holds("output_for_prompt", engine.ToolOutput),
			engine.Holds("exit_code", engine.ToolExit)}, engine.Fixed("truncated", "false"), engine.Fixed("timed_out", "false")),
			tools.CategoryShell),
		shaped("ReadFile", text("FileContent.content", "FileContent.content_concise", "FileContent.raw_output"),
			tools.CategoryRead),
		{Categories: []tools.Category{tools.CategoryRead}, Fields: text("FileNotFound")},
		shaped("SearchReplace", text("EditsApplied.tool_output_for_prompt", "EditsApplied.tool_output_for_prompt_concise"),
			tools.CategoryWrite, tools.CategoryEdit),
		shaped("ListDir", text("Content.content"), tools.CategorySearch),
		shaped("MCP", text("output.OkayOutput"), tools.CategoryMCP),
		shaped("Todo", text("TodosUpdated.summary_for_prompt"), ""),
		shaped("Text", text("text")),
	}
}

// toolNames is how Grok Build names its tools; Also are the names of Claude Code that its matchers take.
func toolNames() toolnames.Table {
	path := toolnames.Arg("path", "file_path")
	return toolnames.Table{
		{Category: tools.CategoryShell, Ours: "shell_exec", All: true, Name: "run_terminal_command", Also: []string{"Bash"},
			Subject:   toolnames.Arg("command", "command"),
			Arguments: []toolnames.Argument{{Ours: "timeout_secs", Theirs: "timeout", Times: 1000}}},
		{Category: tools.CategoryRead, Ours: "read_file", All: true, Name: "read_file", Also: []string{"Read"},
			Subject: toolnames.Arg("path", "target_file")},
		{Category: tools.CategoryWrite, Ours: "write_file", All: true, Name: "write", Also: []string{"Write"}, Subject: path},
		{Category: tools.CategoryEdit, Ours: "file_edit", All: true, Name: "search_replace",
			Also: []string{"Edit", "Write", "MultiEdit"}, Subject: path},
		{Category: tools.CategorySearch, Ours: "grep_files", Name: "grep", Also: []string{"Grep"},
			Subject: toolnames.Arg("path", "path"), Arguments: []toolnames.Argument{toolnames.Arg("file_pattern", "glob"),
				toolnames.Arg("context_lines", "-C"), toolnames.Arg("ignore_case", "-i"),
				toolnames.Arg("max_results", "head_limit")}},
		{Category: tools.CategorySearch, Ours: "dir_list", Name: "list_dir", Also: []string{"Glob", "ListDir"},
			Subject: toolnames.Arg("path", "target_directory")},
		{Category: tools.CategoryFetch, Ours: "fetch_url", All: true, Name: "web_fetch",
			Subject: toolnames.Arg("url", "url")},
		{Category: tools.CategoryAgent, Ours: "spawn_agent", All: true, Name: "spawn_subagent", Also: []string{"Task"},
			Arguments: []toolnames.Argument{toolnames.Arg("task", "prompt"), toolnames.Arg("agent", "subagent_type")}},
		{Ours: "update_todos", Name: "todo_write"},
	}
}

// environment are the variables of hooks. Only Grok Build can set the variable without a value.
func environment() []engine.Variable {
	list := []engine.Variable{
		{Name: "CLAUDE_PROJECT_DIR", Value: engine.Project}, {Name: "GROK_WORKSPACE_ROOT", Value: engine.Project},
		{Name: "GROK_SESSION_ID", Value: engine.Session}, {Name: "GROK_HOOK_NAME"},
	}
	for _, e := range events() {
		if e.Fields != nil {
			list = append(list, engine.Variable{Name: "GROK_HOOK_EVENT", Const: snake(e.Name), Events: []string{e.Name}})
		}
	}
	return list
}

// places are Grok Build's settings files. chibi has a file of its own there. Files of Claude Code and Cursor that
// Grok Build also reads are not here.
func places() []engine.Place {
	const home = "GROK_HOME"
	return []engine.Place{
		{Scope: engine.ScopeSystem, Path: "/etc/grok/managed_config.toml", Format: "toml"},
		{Scope: engine.ScopeSystem, Path: "/etc/grok/requirements.toml", Format: "toml"},
		{Scope: engine.ScopeUser, Path: ".grok/hooks/*.json", Variable: home, Format: "json", Whole: true},
		{Scope: engine.ScopeUser, Path: ".grok/hooks/chibi.json", Variable: home, Format: "json", Write: true, Whole: true},
		{Scope: engine.ScopeUser, Path: ".grok/config.toml", Variable: home, Format: "toml"},
		{Scope: engine.ScopeUser, Path: ".grok/managed_config.toml", Variable: home, Format: "toml"},
		{Scope: engine.ScopeUser, Path: ".grok/requirements.toml", Variable: home, Format: "toml"},
		{Scope: engine.ScopeProject, Path: ".grok/hooks/*.json", Format: "json", Whole: true},
		{Scope: engine.ScopeProject, Path: ".grok/hooks/chibi.json", Format: "json", Write: true, Whole: true},
	}
}

// reads: a hook of Claude Code that compares names of tools with Claude Code's own names lets everything pass in
// Grok Build. So chibi asks it there too, with Claude Code's names.
func reads() []engine.Reading {
	return []engine.Reading{{Agent: "claude", Scopes: []string{engine.ScopeUser, engine.ScopeProject, engine.ScopeLocal},
		Names: "Grok Build's names of tools, such as run_terminal_command for Bash",
		If:    "compat.claude.hooks in its config.toml is not false, and you trust the project there"}}
}

// shape is how Grok Build's settings files list hooks.
func shape() engine.Shape {
	return engine.Shape{Root: "hooks", Groups: true, Timeout: "timeout", Unit: time.Second,
		Kinds: []engine.HandlerKind{engine.CommandHandler, engine.HTTPHandler}}
}

func servers() engine.ServerPlaces {
	return engine.ServerPlaces{
		{Place: engine.Place{Scope: engine.ScopeUser, Path: ".grok/config.toml", Variable: "GROK_HOME", Format: "toml"},
			Root: "mcp_servers"},
		{Place: engine.Place{Scope: engine.ScopeProject, Path: ".grok/config.toml", Format: "toml"}, Root: "mcp_servers"},
	}
}
