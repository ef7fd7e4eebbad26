package engine

import (
	"slices"
	"time"
)

// claudeEvents are Claude Code's events.
func claudeEvents() []Event {
	return slices.Concat(claudeSession(), claudeToolEvents(), claudeTurn(), claudeNever())
}

// claudeSession are the events of sessions, prompts and compactions.
func claudeSession() []Event {
	resumed := theirs("seconds_since_last_response", "context_tokens", "prompt_cache_likely_expired",
		"estimated_cache_write_usd")
	return []Event{{
		Name: "SessionStart", Kind: SessionStart, Matches: Source, Timeout: claudeCommands, Bridged: true,
		Fields: claudeFields("start", slices.Concat([]Field{field("source", Source), optional("model", Model)},
			theirs("session_title"), resumed)...),
		PlainText: TextContext, Exits: claudeCannotBlock(), Handlers: []HandlerKind{CommandHandler, MCPToolHandler},
		Rows: claudeRows("SessionStart", claudeContext(),
			Row{Path: "hookSpecificOutput.initialUserMessage", Set: NoEffect},
			Row{Path: "hookSpecificOutput.sessionTitle", Set: NoEffect},
			Row{Path: "hookSpecificOutput.watchPaths", Set: NoEffect},
			Row{Path: "hookSpecificOutput.reloadSkills", Set: NoEffect}),
	}, {
		Name: "UserPromptSubmit", Kind: Prompt, Timeout: 30 * time.Second, Bridged: true, PlainText: TextContext,
		Fields: claudeFields("mode", field("prompt", PromptText)),
		Rows: claudeRows("UserPromptSubmit", append(claudeBlock(), claudeContext(),
			Row{Path: "hookSpecificOutput.sessionTitle", Set: NoEffect})...),
		Lost: []string{"A plugin cannot change the prompt: Claude Code takes text beside it, or refuses it."},
	}, {
		Name: "UserPromptExpansion", Kind: PromptExpanded, Matches: Recipe, Timeout: claudeCommands, PlainText: TextContext,
		Fields: claudeFields("mode", fixed("expansion_type", `"slash_command"`), field("command_name", Recipe),
			fixed("command_args", `""`), fixed("command_source", `"projectSettings"`), field("prompt", PromptText)),
		Rows: claudeRows("UserPromptExpansion", append(claudeBlock(), claudeContext())...),
	}, {
		Name: "PreCompact", Kind: BeforeCompact, Matches: Trigger, Timeout: claudeCommands, Bridged: true,
		Fields: claudeFields("", field("trigger", Trigger), Field{Name: "custom_instructions", Value: Instructions,
			Const: `""`}),
		Rows: claudeRows("PreCompact", claudeBlock()...),
		Lost: []string{"A plugin cannot give the summary itself, or run a recipe instead: it can only refuse a compaction."},
	}, {
		Name: "PostCompact", Kind: AfterCompact, Matches: Trigger, Timeout: claudeCommands, Bridged: true,
		Fields: claudeFields("", field("trigger", Trigger), field("compact_summary", Summary)),
		Rows:   claudeQuiet(), Exits: claudeCannotBlock(),
	}, {
		Name: "SessionEnd", Kind: SessionEnd, Matches: Reason, Timeout: 1500 * time.Millisecond, Bridged: true,
		Fields: claudeFields("", field("reason", Reason)),
		Rows:   claudeQuiet(), Exits: claudeCannotBlock(),
	}}
}

// claudeToolEvents are the events of tool calls.
func claudeToolEvents() []Event {
	call := []Field{formed("tool_name", ToolName, AsTool), formed("tool_input", ToolInput, AsInput)}
	server := append([]Field{optional("mcp_server.name", Server)}, theirs("mcp_server.source")...)
	permission := "hookSpecificOutput.permissionDecision"
	return []Event{{
		Name: "PreToolUse", Kind: BeforeTool, Matches: ToolName, Timeout: claudeCommands, Bridged: true,
		Fields: claudeFields("mode effort", slices.Concat(call, []Field{field("tool_use_id", CallID)}, server)...),
		Rows: claudeRows("PreToolUse",
			Row{Path: permission, Is: `"deny"`, Set: SetDecision, To: "deny"},
			Row{Path: permission, Is: `"ask"`, Set: SetDecision, To: "ask"},
			Row{Path: permission, Is: `"defer"`, Set: SetDecision, To: "ask"},
			Row{Path: permission, Is: `"allow"`, Set: SetDecision, To: "allow"},
			Row{Path: permission + "Reason", Set: SetReason},
			Row{Path: "hookSpecificOutput.updatedInput", Set: SetInput},
			claudeContext(),
			Row{Path: "decision", Is: `"block"`, Set: SetDecision, To: "deny"},
			Row{Path: "decision", Is: `"approve"`, Set: SetDecision, To: "allow"},
			Row{Path: "reason", Set: SetReason}),
	}, {
		Name: "PermissionRequest", Kind: AskPermission, Matches: ToolName, Timeout: claudeCommands, Bridged: true,
		Fields: claudeFields("mode effort", slices.Concat(call, theirs("permission_suggestions"), server)...),
		Rows:   claudePermission(), Exits: claudeCannotBlock(),
	}, {
		Name: "PostToolUse", Kind: ToolSucceeded, Matches: ToolName, Timeout: claudeCommands, Bridged: true,
		Fields: claudeFields("mode effort", slices.Concat(call, []Field{formed("tool_response", ToolOutput, AsResult),
			field("tool_use_id", CallID), optional("duration_ms", Duration)}, server)...),
		Rows: claudeRows("PostToolUse", append(claudeBlock(), claudeContext(),
			Row{Path: "hookSpecificOutput.updatedMCPToolOutput", Set: SetOutput, Form: AsTextBlocks, Categories: mcpTools()},
			Row{Path: "hookSpecificOutput.updatedToolOutput", Set: SetOutput, Form: AsResult})...),
		Lost: []string{"A plugin can replace the result of Bash, Read and MCP servers' tools, not that of other tools."},
	}, {
		Name: "PostToolUseFailure", Kind: ToolFailed, Matches: ToolName, Timeout: claudeCommands, Bridged: true,
		Fields: claudeFields("mode effort", slices.Concat(call, []Field{field("tool_use_id", CallID),
			field("error", ToolError), fixed("is_interrupt", "false"), optional("duration_ms", Duration)}, server)...),
		Rows: claudeRows("PostToolUseFailure", append(claudeBlock(), claudeContext())...),
		Lost: []string{"A plugin cannot replace the error of a tool that failed: its text stands beside it."},
	}, {
		Name: "PostToolBatch", Kind: AfterBatch, Timeout: claudeCommands, Bridged: true,
		Fields: claudeFields("mode effort", Field{Name: "tool_calls", Value: Calls, Form: AsCalls, Each: slices.Concat(call,
			[]Field{field("tool_use_id", CallID), field("tool_response", ToolOutput)})}),
		Exits: []Exit{{Status: "2", JSON: "beside", Then: "halt"}},
		Rows: claudeRows("PostToolBatch", claudeContext(),
			Row{Path: "decision", Is: `"block"`, Set: SetHalt, Reads: true},
			Row{Path: "reason", Set: SetHaltReason, Reads: true}),
	}}
}

// claudePermission are the rows of a question to the person: an answer in the person's place.
// Rewritten arguments count only in an approval.
func claudePermission() []Row {
	answer := "hookSpecificOutput.decision."
	return claudeRows("PermissionRequest",
		Row{Path: answer + "behavior", Is: `"allow"`, Set: SetDecision, To: "allow"},
		Row{Path: answer + "behavior", Is: `"deny"`, Set: SetDecision, To: "deny"},
		Row{Path: answer + "message", Set: SetReason, Needs: []string{answer + `behavior="deny"`}},
		Row{Path: answer + "updatedInput", Set: SetInput, Needs: []string{answer + `behavior="allow"`}},
		Row{Path: answer + "updatedPermissions", Set: NoEffect},
		Row{Path: answer + "interrupt", Is: "true", Set: SetHalt})
}

// claudeTurn are the events of the turn and of sub-agents.
func claudeTurn() []Event {
	tasks := []Field{fixed("background_tasks", "[]"), fixed("session_crons", "[]")}
	return []Event{{
		Name: "Stop", Kind: Stop, Timeout: claudeCommands, Bridged: true,
		Fields: claudeFields("mode effort", append([]Field{field("stop_hook_active", StopActive),
			field("last_assistant_message", Response)}, tasks...)...),
		Rows: claudeRows("Stop", append(claudeBlock(), claudeContext())...),
	}, {
		Name: "StopFailure", Kind: TurnFailed, Matches: FailureKind, Timeout: claudeCommands, Bridged: true,
		Matcher: &MatcherRule{Names: "_", Separators: "|", Lookaround: true},
		Fields:  claudeFields("effort", field("error", FailureKind), field("last_assistant_message", Response)),
		Rows:    claudeQuiet(), Exits: claudeCannotBlock(),
	}, {
		Name: "SubagentStart", Kind: AgentStart, Matches: AgentType, Timeout: claudeCommands, Bridged: true,
		Fields: claudeFields(""), Exits: claudeCannotBlock(),
		Rows: claudeRows("SubagentStart", claudeContext()),
		Lost: []string{"A plugin cannot refuse or change a sub-agent here: use pre_tool, where it is the call of a tool."},
	}, {
		Name: "SubagentStop", Kind: AgentStop, Matches: AgentType, Timeout: claudeCommands, Bridged: true,
		Fields: claudeFields("mode effort", slices.Concat([]Field{fixed("stop_hook_active", "false")},
			theirs("agent_transcript_path"), []Field{field("last_assistant_message", Response)}, tasks)...),
		Rows: claudeRows("SubagentStop", append(claudeBlock(), claudeContext())...),
	}, {
		Name: "MessageDisplay", Kind: AfterResponse, Timeout: 10 * time.Second,
		Fields: claudeFields("", optional("turn_id", PromptID), optional("message_id", PromptID), fixed("index", "0"),
			fixed("final", "true"), field("delta", Response)),
		Rows:  append(claudeQuiet(), Row{Path: "hookSpecificOutput.displayContent", Set: NoEffect}),
		Exits: claudeCannotBlock(),
	}}
}

// claudeNever are the events that chibi never fires.
func claudeNever() []Event {
	return never("Setup", "Notification", "ConfigChange", "InstructionsLoaded", "CwdChanged", "DirectoryAdded",
		"FileChanged", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult", "TaskCreated",
		"TaskCompleted", "TeammateIdle", "PermissionDenied")
}
