// Package kimi has the facts about Kimi Code: its table and its settings file. testdata has payloads that the
// program wrote to its hooks, and how the table reads them.
package kimi

import (
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

// Agent is Kimi Code. Its hooks can refuse prompts and calls, give the model a text beside a prompt, and make it go
// on once. At all other events they only look on.
func Agent() engine.Agent {
	return engine.Agent{Names: []string{"kimi", "kimi-code"}, Table: table}
}

func table() engine.Dialect {
	return engine.Dialect{
		Title:    "Kimi Code",
		Facts:    engine.Facts{Driven: "2.1.0", Date: "2026-11-28", Read: "the program's source"},
		Sessions: engine.SessionFiles{Path: ".kimi-code/sessions/*/session_*/state.json", Variable: "KIMI_CODE_HOME"},
		Places:   places(), Shape: shape(), Servers: servers(), Events: events(),
		Matcher: engine.MatcherRule{Lookaround: true},
		Tools:   toolNames(), MCPName: "mcp__%s__%s",
		Words: engine.Words{
			{Value: engine.FailureKind, Ours: "interrupted", Theirs: "cancelled"},
		},
		Shell: []string{"sh", "-c"}, Dedup: "command", MaxContinuations: 1,
		PlainText: engine.TextIgnored,
		Exits: []engine.Exit{
			{Status: "0", JSON: engine.JSONDecides, Then: engine.EndsOK},
			{Status: "2", JSON: engine.JSONIgnored, Then: engine.EndsDenied},
		},
	}
}

// timeLimit is the time limit of a command that has none. longest is the longest limit: a longer one keeps all
// hooks from running.
const (
	timeLimit = 30 * time.Second
	longest   = 600 * time.Second
)

// fields are the members of every payload, then the members of one event.
func fields(own ...engine.Field) []engine.Field {
	return slices.Concat([]engine.Field{engine.Holds("hook_event_name", engine.EventName),
		engine.Holds("session_id", engine.Session), engine.Holds("cwd", engine.Cwd),
		engine.Fixed("client_type", `"kimi_code_cli"`)}, own)
}

// denial are the members of an answer that can refuse, and members that do nothing there.
func denial() []engine.Row {
	permission := "hookSpecificOutput.permissionDecision"
	rows := []engine.Row{{Path: permission, Is: `"deny"`, Set: engine.SetDecision, To: "deny"},
		{Path: permission, Set: engine.NoEffect, When: []engine.Condition{engine.Is(permission, `"deny"`).Not()}},
		{Path: permission + "Reason", Set: engine.SetReason}}
	return append(rows, noEffect("hookSpecificOutput.additionalContext", "hookSpecificOutput.updatedInput")...)
}

// noEffect are members of an answer that do nothing: paths, and members that other agents have at every event.
func noEffect(paths ...string) (rows []engine.Row) {
	for _, path := range append(paths, "decision", "reason", "stopReason", "systemMessage") {
		rows = append(rows, engine.Row{Path: path, Set: engine.NoEffect})
	}
	return append(rows, engine.Row{Path: "continue", Is: "false", Set: engine.NoEffect},
		engine.Row{Path: "hookSpecificOutput.hookEventName", Set: engine.Silent})
}

// observed are the exit statuses of events whose hooks only look on.
func observed() []engine.Exit {
	return []engine.Exit{{Status: "2", JSON: engine.JSONIgnored, Then: engine.EndsFailed}}
}

// event is an event whose hooks only look on.
func event(name string, kind engine.Kind, matches engine.Value, own ...engine.Field) engine.Event {
	return engine.Event{Name: name, Kind: kind, Matches: matches, Timeout: timeLimit, Longest: longest, Bridged: true,
		Fields: fields(own...), Rows: noEffect("hookSpecificOutput.additionalContext"), Exits: observed()}
}

// losing adds sentences about lost effects to an event.
func losing(e engine.Event, lost ...string) engine.Event {
	e.Lost = lost
	return e
}

// events are Kimi Code's events.
func events() []engine.Event {
	call := []engine.Field{engine.Formed("tool_name", engine.ToolName, engine.AsTool),
		engine.Formed("tool_input", engine.ToolInput, engine.AsInput), engine.Holds("tool_call_id", engine.CallID)}
	const silent = "Hooks only look on: Kimi Code ignores a new result, ignores a context beside it, and the turn goes on."
	return slices.Concat([]engine.Event{
		losing(event("SessionStart", engine.SessionStart, engine.Source, engine.Holds("source", engine.Source),
			engine.Optional("model", engine.Model), engine.Fixed("profile", `"agent"`)),
			"Kimi Code ignores a context given at the start of a session: texts of plugins for the system prompt are "+
				"lost."),
		{
			Name: "UserPromptSubmit", Kind: engine.Prompt, Matches: engine.PromptText, Timeout: timeLimit,
			Longest: longest, Bridged: true,
			PlainText: engine.TextContext,
			Fields: fields(engine.Formed("prompt", engine.PromptText, engine.AsTextBlocks),
				engine.Fixed("is_steer", "false")),
			Rows: append([]engine.Row{{Path: "message", Set: engine.SetContext}}, denial()...),
			Lost: []string{"A plugin cannot change the prompt: Kimi Code takes text beside it, or refuses it."},
		}, {
			Name: "PreToolUse", Kind: engine.BeforeTool, Matches: engine.ToolName, Timeout: timeLimit,
			Longest: longest, Bridged: true,
			Fields: fields(call...), Rows: denial(),
			Lost: []string{"Kimi Code ignores rewritten arguments: the tool runs with the model's.",
				"Kimi Code ignores a context given before a tool: give it beside the prompt.",
				"A question becomes a denial: Kimi Code's hooks cannot ask.",
				"A plugin that ends the turn refuses the call, and the turn goes on.",
				"Text for the person is not shown."},
		},
		losing(event("PostToolUse", engine.ToolSucceeded, engine.ToolName,
			append(call, engine.Holds("tool_output", engine.ToolOutput))...), silent,
			"Of a result plugins see the first 2,000 characters."),
		losing(event("PostToolUseFailure", engine.ToolFailed, engine.ToolName,
			append(call, engine.Fixed("error.code", `"internal"`), engine.Holds("error.message", engine.ToolError),
				engine.Fixed("error.retryable", "false"))...), silent),
		{
			Name: "Stop", Kind: engine.Stop, Timeout: timeLimit, Longest: longest, Bridged: true,
			Fields: fields(engine.Holds("stop_hook_active", engine.StopActive)), Rows: denial(),
			Lost: []string{"Kimi Code goes on once in a turn, and asks no hook after that.",
				"Kimi Code does not tell the model's answer.",
				"It fires for a sub-agent too, without saying so.",
				"A plugin cannot end the turn at its stop if another plugin wants it to go on."},
		},
		event("StopFailure", engine.TurnFailed, "", append(engine.Theirs("error_type"),
			engine.Holds("error_message", engine.Failure))...),
		event("Interrupt", engine.TurnInterrupted, "", append(engine.Theirs("turn_id"),
			engine.Holds("reason", engine.FailureKind))...),
		losing(event("SubagentStart", engine.AgentStart, engine.AgentType, engine.Holds("agent_name", engine.AgentType),
			engine.Holds("prompt", engine.Task)),
			"A plugin cannot refuse or change a sub-agent here: use pre_tool, where it is the call of a tool."),
		event("SubagentStop", engine.AgentStop, engine.AgentType, engine.Holds("agent_name", engine.AgentType),
			engine.Holds("response", engine.Response)),
		losing(event("PreCompact", engine.BeforeCompact, engine.Trigger, append([]engine.Field{
			engine.Holds("trigger", engine.Trigger)}, engine.Theirs("token_count")...)...),
			"A plugin cannot refuse a compaction, or give the summary itself."),
		event("PostCompact", engine.AfterCompact, engine.Trigger, append([]engine.Field{
			engine.Holds("trigger", engine.Trigger)}, engine.Theirs("estimated_token_count")...)...),
		losing(event("SessionEnd", engine.SessionEnd, engine.Reason, engine.Holds("reason", engine.Reason)),
			"Kimi Code does not say that a session has ended when it runs with -p."),
	}, engine.Unfired("PermissionRequest", "PermissionResult", "Notification", "TaskStarted", "TurnStarted",
		"UserPromptQueued", "SessionHeartbeat"))
}

// toolNames is how Kimi Code names its tools.
func toolNames() toolnames.Table {
	arg := toolnames.Arg
	path := arg("path", "path")
	return toolnames.Table{
		{Category: tools.CategoryShell, Ours: "shell_exec", All: true, Name: "Bash", Subject: arg("command", "command"),
			Arguments: []toolnames.Argument{arg("timeout_secs", "timeout")}},
		{Category: tools.CategoryRead, Ours: "read_file", All: true, Name: "Read", Subject: path,
			Arguments: []toolnames.Argument{arg("offset", "line_offset"), arg("limit", "n_lines")}},
		{Category: tools.CategoryWrite, Ours: "write_file", All: true, Name: "Write", Subject: path},
		{Category: tools.CategoryEdit, Ours: "file_edit", All: true, Name: "Edit", Subject: path},
		{Category: tools.CategorySearch, Ours: "glob_files", Name: "Glob", Subject: path,
			Arguments: []toolnames.Argument{arg("max_results", "head_limit")}},
		{Category: tools.CategorySearch, Ours: "grep_files", Name: "Grep", Subject: path,
			Arguments: []toolnames.Argument{arg("file_pattern", "glob"), arg("context_lines", "-C"),
				arg("ignore_case", "-i"), arg("max_results", "head_limit")}},
		{Category: tools.CategoryFetch, Ours: "fetch_url", All: true, Name: "FetchURL", Subject: arg("url", "url")},
		{Category: tools.CategoryAgent, Ours: "spawn_agent", All: true, Name: "Agent",
			Arguments: []toolnames.Argument{arg("task", "prompt"), arg("agent", "subagent_type")}},
		{Ours: "update_todos", Name: "TodoList"},
	}
}

// places are Kimi Code's settings files. A project has none.
func places() []engine.Place {
	return []engine.Place{{Scope: engine.ScopeUser, Path: ".kimi-code/config.toml", Variable: "KIMI_CODE_HOME",
		Format: "toml", Write: true}}
}

// shape says how the settings file lists hooks: in one list, with no other members than these.
func shape() engine.Shape {
	return engine.Shape{Root: "hooks", Event: "event", Timeout: "timeout", Unit: time.Second,
		Kinds: []engine.HandlerKind{engine.CommandHandler}}
}

func servers() engine.ServerPlaces {
	return engine.ServerPlaces{{Place: engine.Place{Scope: engine.ScopeUser, Path: ".kimi-code/mcp.json",
		Variable: "KIMI_CODE_HOME", Format: "json"}, Root: "mcpServers"}}
}
