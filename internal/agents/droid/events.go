package droid

import (
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// commandLimit is how long a command may take.
const commandLimit = 60 * time.Second

// fields are the members of every payload, then the members of one event.
func fields(own ...engine.Field) []engine.Field {
	return append([]engine.Field{engine.Holds("session_id", engine.Session),
		engine.Holds("transcript_path", engine.Transcript), engine.Holds("cwd", engine.Cwd),
		engine.Holds("permission_mode", engine.PermissionMode), engine.Holds("hook_event_name", engine.EventName)}, own...)
}

// rows are the members of an answer at an event: its own, members without effect there, and the members of all
// events.
func rows(own []engine.Row, noEffect ...string) []engine.Row {
	for _, path := range append(noEffect, "systemMessage") {
		row := engine.Row{Path: path, Set: engine.NoEffect}
		if path == "continue" {
			row.Is = "false"
		}
		own = append(own, row)
	}
	return append(own, engine.Row{Path: "continue", Is: "true", Set: engine.Silent},
		engine.Row{Path: "hookSpecificOutput.hookEventName", Set: engine.Silent},
		engine.Row{Path: "suppressOutput", Set: engine.Silent})
}

// Members that several events have.
const context = "hookSpecificOutput.additionalContext"

func tells() []engine.Row { return []engine.Row{{Path: context, Set: engine.SetContext}} }

func block() []engine.Row {
	return []engine.Row{{Path: "decision", Is: `"block"`, Set: engine.SetDecision, To: "deny"},
		{Path: "reason", Set: engine.SetReason}}
}

func ends() []engine.Row {
	return []engine.Row{{Path: "continue", Is: "false", Set: engine.SetHalt},
		{Path: "stopReason", Set: engine.SetHaltReason}}
}

// observed are the exit statuses of events at which a hook cannot refuse.
func observed() []engine.Exit {
	return []engine.Exit{{Status: "2", JSON: engine.JSONIgnored, Then: engine.EndsFailed},
		{Status: "3", JSON: engine.JSONIgnored, Then: engine.EndsFailed}}
}

// events are Factory Droid's events.
func events() []engine.Event {
	call := []engine.Field{engine.Formed("tool_name", engine.ToolName, engine.AsTool),
		engine.Formed("tool_input", engine.ToolInput, engine.AsInput)}
	return slices.Concat(sessionEvents(), []engine.Event{{
		Name: "PreToolUse", Kind: engine.BeforeTool, Matches: engine.ToolName, Timeout: commandLimit, Bridged: true,
		Fields: fields(call...), Rows: beforeTool(),
		Lost: []string{"Factory Droid ignores a context given before a tool: give it after the tool.",
			"A question becomes a denial: Factory Droid runs a call that a hook asks about.",
			"Factory Droid merges rewritten arguments over the call's: one that a plugin takes out stays.",
			"Factory Droid does not show a text for the person."},
	}, {
		Name: "PostToolUse", Kind: engine.ToolSucceeded, Matches: engine.ToolName, Timeout: commandLimit, Bridged: true,
		Fields: fields(append(call, engine.Formed("tool_response", engine.ToolOutput, engine.AsResult))...),
		Rows: rows(append(tells(), ends()...), "decision", "reason", "hookSpecificOutput.updatedToolOutput",
			"hookSpecificOutput.updatedMCPToolOutput"),
		Lost: []string{"Factory Droid ignores a new result: the model sees the tool's own result.",
			"It does not fire for calls that failed."},
	}, {
		Name: "Stop", Kind: engine.Stop, Timeout: commandLimit, Bridged: true,
		Fields: fields(slices.Concat(engine.Theirs("message_id"), []engine.Field{
			engine.Holds("stop_hook_active", engine.StopActive)}, engine.Theirs("tool_execution_count", "elapsed_time"))...),
		Rows: rows(block(), "continue", "stopReason", context),
		Lost: []string{"A plugin cannot end the turn at its stop if another plugin wants it to go on.",
			"Factory Droid goes on as often as a hook wants; chibi limits that by max_follow_ups.",
			"Factory Droid does not tell the model's answer."},
	}, {
		Name: "SubagentStop", Kind: engine.AgentStop, Timeout: commandLimit, Bridged: true,
		Fields: fields(engine.Fixed("stop_hook_active", "false")), Rows: rows(append(block(), ends()...), context),
	}}, engine.Unfired("Notification"))
}

// sessionEvents are the events of sessions, prompts and compactions.
func sessionEvents() []engine.Event {
	return []engine.Event{{
		Name: "SessionStart", Kind: engine.SessionStart, Matches: engine.Source, Timeout: commandLimit, Bridged: true,
		Fields:    fields(engine.Holds("source", engine.Source), engine.Optional("CLAUDE_ENV_FILE", engine.EnvFile)),
		PlainText: engine.TextContext, Exits: observed(),
		Rows: rows(tells(), "decision", "reason", "continue", "stopReason"),
	}, {
		Name: "UserPromptSubmit", Kind: engine.Prompt, Timeout: commandLimit, Bridged: true, PlainText: engine.TextContext,
		Fields: fields(engine.Holds("prompt", engine.PromptText)), Rows: rows(slices.Concat(block(), tells(), ends())),
		Lost: []string{"droid exec does not report its prompt: it ignores a context beside it and refuses none.",
			"A plugin cannot change the prompt: Factory Droid takes text beside it, or refuses it."},
	}, {
		Name: "PreCompact", Kind: engine.BeforeCompact, Matches: engine.Trigger, Timeout: commandLimit, Bridged: true,
		Fields: fields(engine.Holds("trigger", engine.Trigger), engine.Usually("custom_instructions", engine.Instructions,
			`""`)),
		Rows: rows(nil, "decision", "reason", "continue", "stopReason", context), Exits: observed(),
		Lost: []string{"A plugin cannot refuse a compaction, or give the summary itself."},
	}, {
		Name: "SessionEnd", Kind: engine.SessionEnd, Matches: engine.Reason, Timeout: commandLimit, Bridged: true,
		Fields: fields(slices.Concat(engine.Theirs("message_id"), []engine.Field{engine.Holds("reason", engine.Reason)},
			engine.Theirs("session_duration_ms"), []engine.Field{engine.Optional("message_count", engine.Messages)})...),
		Rows: rows(nil, "decision", "reason", "continue", "stopReason", context), Exits: observed(),
	}}
}

// beforeTool are the members of an answer before a tool.
func beforeTool() []engine.Row {
	permission := "hookSpecificOutput.permissionDecision"
	return rows(slices.Concat(engine.Decides(permission, "deny", "ask", "allow"), []engine.Row{
		{Path: permission + "Reason", Set: engine.SetReason},
		{Path: "hookSpecificOutput.updatedInput", Set: engine.SetInputPatch},
	}, ends()), "decision", "reason", context)
}
