package claude

import (
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// events are Claude Code's events.
func events() []engine.Event {
	return slices.Concat(sessionEvents(), toolEvents(), turnEvents(), neverFired())
}

// sessionEvents are the events of sessions, prompts and compactions.
func sessionEvents() []engine.Event {
	resumed := engine.Theirs("seconds_since_last_response", "context_tokens", "prompt_cache_likely_expired",
		"estimated_cache_write_usd")
	return []engine.Event{{
		Name: "SessionStart", Kind: engine.SessionStart, Matches: engine.Source, Timeout: commandLimit, Bridged: true,
		Fields: fields("start", slices.Concat([]engine.Field{engine.Holds("source", engine.Source),
			engine.Optional("model", engine.Model)}, engine.Theirs("session_title"), resumed)...),
		PlainText: engine.TextContext, Exits: cannotBlock(), Handlers: []engine.HandlerKind{engine.CommandHandler,
			engine.MCPToolHandler},
		Rows: rows("SessionStart", contextRow(),
			engine.Row{Path: "hookSpecificOutput.initialUserMessage", Set: engine.NoEffect},
			engine.Row{Path: "hookSpecificOutput.sessionTitle", Set: engine.NoEffect},
			engine.Row{Path: "hookSpecificOutput.watchPaths", Set: engine.NoEffect},
			engine.Row{Path: "hookSpecificOutput.reloadSkills", Set: engine.NoEffect}),
	}, {
		Name: "UserPromptSubmit", Kind: engine.Prompt, Timeout: 30 * time.Second, Bridged: true,
		PlainText: engine.TextContext,
		Fields:    fields("mode", engine.Holds("prompt", engine.PromptText)),
		Rows: rows("UserPromptSubmit", append(block(), contextRow(),
			engine.Row{Path: "hookSpecificOutput.sessionTitle", Set: engine.NoEffect})...),
		Lost: []string{"A plugin cannot change the prompt: Claude Code takes text beside it, or refuses it."},
	}, {
		Name: "UserPromptExpansion", Kind: engine.PromptExpanded, Matches: engine.Recipe, Timeout: commandLimit,
		PlainText: engine.TextContext,
		Fields: fields("mode", engine.Fixed("expansion_type", `"slash_command"`), engine.Holds("command_name", engine.Recipe),
			engine.Fixed("command_args", `""`), engine.Fixed("command_source", `"projectSettings"`),
			engine.Holds("prompt", engine.PromptText)),
		Rows: rows("UserPromptExpansion", append(block(), contextRow())...),
	}, {
		Name: "PreCompact", Kind: engine.BeforeCompact, Matches: engine.Trigger, Timeout: commandLimit, Bridged: true,
		Fields: fields("", engine.Holds("trigger", engine.Trigger), engine.Usually("custom_instructions", engine.Instructions,
			`""`)),
		Rows: rows("PreCompact", block()...),
		Lost: []string{"A plugin cannot give the summary itself, or run a recipe instead: it can only refuse a compaction."},
	}, {
		Name: "PostCompact", Kind: engine.AfterCompact, Matches: engine.Trigger, Timeout: commandLimit, Bridged: true,
		Fields: fields("", engine.Holds("trigger", engine.Trigger), engine.Holds("compact_summary", engine.Summary)),
		Rows:   quiet(), Exits: cannotBlock(),
	}, {
		Name: "SessionEnd", Kind: engine.SessionEnd, Matches: engine.Reason, Timeout: 1500 * time.Millisecond, Bridged: true,
		Fields: fields("", engine.Holds("reason", engine.Reason)),
		Rows:   quiet(), Exits: cannotBlock(),
	}}
}

// toolEvents are the events of tool calls.
func toolEvents() []engine.Event {
	call := []engine.Field{engine.Formed("tool_name", engine.ToolName, engine.AsTool),
		engine.Formed("tool_input", engine.ToolInput, engine.AsInput)}
	server := append([]engine.Field{engine.Optional("mcp_server.name", engine.Server)},
		engine.Theirs("mcp_server.source")...)
	permission := "hookSpecificOutput.permissionDecision"
	return []engine.Event{{
		Name: "PreToolUse", Kind: engine.BeforeTool, Matches: engine.ToolName, Timeout: commandLimit, Bridged: true,
		Fields: fields("mode effort", slices.Concat(call, []engine.Field{engine.Holds("tool_use_id", engine.CallID)},
			server)...),
		Rows: rows("PreToolUse",
			engine.Row{Path: permission, Is: `"deny"`, Set: engine.SetDecision, To: "deny"},
			engine.Row{Path: permission, Is: `"ask"`, Set: engine.SetDecision, To: "ask"},
			engine.Row{Path: permission, Is: `"defer"`, Set: engine.SetDecision, To: "ask"},
			engine.Row{Path: permission, Is: `"allow"`, Set: engine.SetDecision, To: "allow"},
			engine.Row{Path: permission + "Reason", Set: engine.SetReason},
			engine.Row{Path: "hookSpecificOutput.updatedInput", Set: engine.SetInput},
			contextRow(),
			engine.Row{Path: "decision", Is: `"block"`, Set: engine.SetDecision, To: "deny"},
			engine.Row{Path: "decision", Is: `"approve"`, Set: engine.SetDecision, To: "allow"},
			engine.Row{Path: "reason", Set: engine.SetReason}),
	}, {
		Name: "PermissionRequest", Kind: engine.AskPermission, Matches: engine.ToolName, Timeout: commandLimit, Bridged: true,
		Fields: fields("mode effort", slices.Concat(call, engine.Theirs("permission_suggestions"), server)...),
		Rows:   permissionRows(), Exits: cannotBlock(),
	}, {
		Name: "PostToolUse", Kind: engine.ToolSucceeded, Matches: engine.ToolName, Timeout: commandLimit, Bridged: true,
		Fields: fields("mode effort", slices.Concat(call, []engine.Field{engine.Formed("tool_response", engine.ToolOutput,
			engine.AsResult), engine.Holds("tool_use_id", engine.CallID), engine.Optional("duration_ms", engine.Duration)},
			server)...),
		Rows: rows("PostToolUse", append(block(), contextRow(),
			engine.Row{Path: "hookSpecificOutput.updatedMCPToolOutput", Set: engine.SetOutput, Form: engine.AsTextBlocks,
				Categories: engine.MCPTools()},
			engine.Row{Path: "hookSpecificOutput.updatedToolOutput", Set: engine.SetOutput, Form: engine.AsResult})...),
		Lost: []string{"A plugin can replace the result of Bash, Read and MCP servers' tools, not the results of other " +
			"tools."},
	}, {
		Name: "PostToolUseFailure", Kind: engine.ToolFailed, Matches: engine.ToolName, Timeout: commandLimit, Bridged: true,
		Fields: fields("mode effort", slices.Concat(call, []engine.Field{engine.Holds("tool_use_id", engine.CallID),
			engine.Holds("error", engine.ToolError), engine.Fixed("is_interrupt", "false"),
			engine.Optional("duration_ms", engine.Duration)}, server)...),
		Rows: goesOn(rows("PostToolUseFailure", append(block(), contextRow())...)),
		Lost: []string{"A plugin can neither replace the error of a tool that failed nor end the turn: the model reads the " +
			"error and the output in it, and the plugin's text beside it."},
	}, {
		Name: "PostToolBatch", Kind: engine.AfterBatch, Timeout: commandLimit, Bridged: true,
		Fields: fields("mode effort", engine.Field{Name: "tool_calls", Value: engine.Calls, Form: engine.AsCalls,
			Each: slices.Concat(call, []engine.Field{engine.Holds("tool_use_id", engine.CallID),
				engine.Holds("tool_response", engine.ToolOutput)})}),
		Exits: []engine.Exit{{Status: "2", JSON: engine.JSONBeside, Then: engine.EndsHalted}},
		Rows: rows("PostToolBatch", contextRow(),
			engine.Row{Path: "decision", Is: `"block"`, Set: engine.SetHalt, Reads: true},
			engine.Row{Path: "reason", Set: engine.SetHaltReason, Reads: true}),
	}}
}

// permissionRows are the rows of a question to the person: an answer in the person's place.
// Rewritten arguments count only in an approval.
func permissionRows() []engine.Row {
	answer := "hookSpecificOutput.decision."
	return rows("PermissionRequest",
		engine.Row{Path: answer + "behavior", Is: `"allow"`, Set: engine.SetDecision, To: "allow"},
		engine.Row{Path: answer + "behavior", Is: `"deny"`, Set: engine.SetDecision, To: "deny"},
		engine.Row{Path: answer + "message", Set: engine.SetReason, Needs: []engine.Condition{engine.Is(answer+"behavior",
			`"deny"`)}},
		engine.Row{Path: answer + "updatedInput", Set: engine.SetInput, Needs: []engine.Condition{engine.Is(answer+"behavior",
			`"allow"`)}},
		engine.Row{Path: answer + "updatedPermissions", Set: engine.NoEffect},
		engine.Row{Path: answer + "interrupt", Is: "true", Set: engine.SetHalt})
}

// turnEvents are the events of the turn and of sub-agents.
func turnEvents() []engine.Event {
	tasks := []engine.Field{engine.Fixed("background_tasks", "[]"), engine.Fixed("session_crons", "[]")}
	return []engine.Event{{
		Name: "Stop", Kind: engine.Stop, Timeout: commandLimit, Bridged: true,
		Fields: fields("mode effort", append([]engine.Field{engine.Holds("stop_hook_active", engine.StopActive),
			engine.Holds("last_assistant_message", engine.Response)}, tasks...)...),
		Rows: rows("Stop", append(block(), contextRow())...),
	}, {
		Name: "StopFailure", Kind: engine.TurnFailed, Matches: engine.FailureKind, Timeout: commandLimit, Bridged: true,
		Matcher: &engine.MatcherRule{Names: "_", Separators: "|", Lookaround: true},
		Fields: fields("effort", engine.Holds("error", engine.FailureKind), engine.Holds("last_assistant_message",
			engine.Response)),
		Rows: quiet(), Exits: cannotBlock(),
	}, {
		Name: "SubagentStart", Kind: engine.AgentStart, Matches: engine.AgentType, Timeout: commandLimit, Bridged: true,
		Fields: fields(""), Exits: cannotBlock(),
		Rows: rows("SubagentStart", contextRow()),
		Lost: []string{"A plugin cannot refuse or change a sub-agent here: use pre_tool, where it is the call of a tool."},
	}, {
		Name: "SubagentStop", Kind: engine.AgentStop, Matches: engine.AgentType, Timeout: commandLimit, Bridged: true,
		Fields: fields("mode effort", slices.Concat([]engine.Field{engine.Fixed("stop_hook_active", "false")},
			engine.Theirs("agent_transcript_path"), []engine.Field{engine.Holds("last_assistant_message", engine.Response)},
			tasks)...),
		Rows: rows("SubagentStop", append(block(), contextRow())...),
	}, {
		Name: "MessageDisplay", Kind: engine.AfterResponse, Timeout: 10 * time.Second,
		Fields: fields("", engine.Optional("turn_id", engine.PromptID), engine.Optional("message_id", engine.PromptID),
			engine.Fixed("index", "0"), engine.Fixed("final", "true"), engine.Holds("delta", engine.Response)),
		Rows:  append(quiet(), engine.Row{Path: "hookSpecificOutput.displayContent", Set: engine.NoEffect}),
		Exits: cannotBlock(),
	}}
}

// neverFired are the events that chibi never fires.
func neverFired() []engine.Event {
	return engine.Unfired("Setup", "Notification", "ConfigChange", "InstructionsLoaded", "CwdChanged", "DirectoryAdded",
		"FileChanged", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult", "TaskCreated",
		"TaskCompleted", "TeammateIdle", "PermissionDenied")
}
