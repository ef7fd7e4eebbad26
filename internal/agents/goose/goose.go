// Package goose has the facts about Goose, from its source code alone: its table. testdata has payloads as the
// source writes them, and how the table reads them. Nobody has seen Goose run with chibi.
package goose

import (
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

// Agent is Goose. Its hooks can refuse calls; otherwise they look on.
func Agent() engine.Agent { return engine.Agent{Names: []string{"goose"}, Table: table} }

func table() engine.Dialect {
	return engine.Dialect{
		Title:  "Goose",
		Facts:  engine.Facts{Date: "2026-11-28", Read: "source code at 3dafa522, which nobody has run with chibi"},
		Places: places(), Shape: shape(), Events: events(), Tools: toolNames(), MCPName: "%s__%s",
		Exits: []engine.Exit{
			{Status: "0", JSON: engine.JSONDecides, Then: engine.EndsOK},
			{Status: "2", JSON: engine.JSONIgnored, Then: engine.EndsDenied, NoText: "denied by plugin hook"},
			{Status: engine.OtherStatus, JSON: engine.JSONDenies, Then: engine.EndsFailed},
		},
		AfterAdd: "chibi knows Goose from its source code alone: try whether a guard denies before you rely on it",
	}
}

// fields are the members of a payload. Each payload has the value that a matcher is compared with.
func fields(matched engine.Field, own ...engine.Field) []engine.Field {
	return slices.Concat([]engine.Field{engine.Holds("event", engine.EventName),
		engine.Holds("session_id", engine.Session), matched}, own, []engine.Field{engine.Optional("working_dir", engine.Cwd)})
}

// event is an event whose hooks only look on.
func event(name string, kind engine.Kind, fields []engine.Field, lost ...string) engine.Event {
	return engine.Event{Name: name, Kind: kind, Bridged: true, Fields: fields, Lost: lost}
}

func events() []engine.Event {
	none := engine.Fixed("matcher_context", "null")
	tool := engine.Formed("matcher_context", engine.ToolName, engine.AsTool)
	call := []engine.Field{engine.Holds("tool_call_id", engine.CallID),
		engine.Formed("tool_name", engine.ToolName, engine.AsTool),
		engine.Formed("tool_input", engine.ToolInput, engine.AsInput)}
	const silent = "Goose ignores a new result, ignores a context beside it, and the turn goes on."
	start := event("SessionStart", engine.SessionStart, fields(none),
		"Goose ignores a context given at the start of a session: texts of plugins for the system prompt are lost.")
	start.Rows = []engine.Row{{Path: "banner", Set: engine.SetSystemMessage}}
	before := event("PreToolUse", engine.BeforeTool, fields(tool, call...),
		"Goose ignores rewritten arguments: the tool runs with the model's.",
		"Goose ignores a context given before a tool.", "A question becomes a denial: Goose's hooks cannot ask.",
		"A plugin that ends the turn refuses the call, and the turn goes on.", "Goose does not show a text for the person.")
	before.Rows = []engine.Row{{Path: "decision", Is: `"block"`, Set: engine.SetDecision, To: "deny"},
		{Path: "reason", Set: engine.SetReason}}
	return append([]engine.Event{
		start,
		event("UserPromptSubmit", engine.Prompt, fields(engine.Holds("matcher_context", engine.PromptText),
			engine.Holds("message", engine.PromptText)),
			"Goose ignores a context beside the prompt.", "A prompt can be neither changed nor refused: hooks only look on.",
			"Goose does not show a text for the person."),
		before,
		event("PostToolUse", engine.ToolSucceeded, fields(tool, append(call,
			engine.Formed("tool_output", engine.ToolOutput, engine.AsResult))...), silent),
		event("PostToolUseFailure", engine.ToolFailed, fields(tool, append(call,
			engine.Holds("tool_output", engine.ToolError))...), silent),
		event("Stop", engine.Stop, fields(none, engine.Optional("last_assistant_message", engine.Response)),
			"A plugin cannot make Goose go on at its end."),
		event("SessionEnd", engine.SessionEnd, fields(none)),
	}, engine.Unfired("PreToolUseResult", "BeforeReadFile", "AfterFileEdit", "BeforeShellExecution",
		"AfterShellExecution")...)
}

// toolNames is how Goose names the tools of its extension for developers.
func toolNames() toolnames.Table {
	arg := toolnames.Arg
	path := arg("path", "path")
	return toolnames.Table{
		{Category: tools.CategoryShell, Ours: "shell_exec", Name: "developer__shell", Also: []string{"shell"},
			Subject: arg("command", "command")},
		{Category: tools.CategoryWrite, Ours: "write_file", Name: "developer__write", Also: []string{"write"}, Subject: path},
		{Category: tools.CategoryEdit, Ours: "file_edit", Name: "developer__edit",
			Also: []string{"edit", "developer__text_editor"}, Subject: path,
			Arguments: []toolnames.Argument{arg("old_string", "before"), arg("new_string", "after")}},
		{Category: tools.CategorySearch, Ours: "dir_list", Name: "developer__tree", Also: []string{"tree"}, Subject: path},
	}
}

// places are chibi's plugin. Goose takes each directory in .agents/plugins for a plugin, without a manifest.
func places() []engine.Place {
	const path = ".agents/plugins/chibi/hooks/hooks.json"
	return []engine.Place{{Scope: engine.ScopeUser, Path: path, Format: "json", Write: true, Whole: true},
		{Scope: engine.ScopeProject, Path: path, Format: "json", Write: true, Whole: true}}
}

func shape() engine.Shape {
	return engine.Shape{Root: "hooks", Groups: true, Timeout: "timeout", Unit: time.Second, OnFailure: "on_failure",
		Kinds: []engine.HandlerKind{engine.CommandHandler}}
}
