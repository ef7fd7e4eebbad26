package engine

import "slices"

// qwenEvents are Qwen Code's events.
func qwenEvents() []Event {
	return slices.Concat(qwenSession(), qwenToolEvents(), qwenTurn(), never("Setup", "Notification", "ConfigChange",
		"InstructionsLoaded", "CwdChanged", "FileChanged", "SessionDelete", "TodoCreated", "TodoCompleted", "WorktreeCreate",
		"WorktreeRemove", "Elicitation", "ElicitationResult", "TaskCreated", "TaskCompleted", "TeammateIdle",
		"PermissionDenied"))
}

// qwenSession are the events of sessions, prompts and compactions. Its hooks of prompts are
// also asked when a turn goes on, which is no prompt: submitted_prompt is absent then.
func qwenSession() []Event {
	before := Field{Name: "prompt_id", Value: PromptID, Reads: true, Optional: true} // only after /clear
	exact := &MatcherRule{Names: "_-", Literal: true, Lookaround: true}
	return []Event{{
		Name: "SessionStart", Kind: SessionStart, Matches: Source, Timeout: qwenCommands, Bridged: true,
		Fields: qwenFields(before, field("source", Source), optional("model", Model)), PlainText: TextContext,
		Rows: qwenRows(qwenContext()),
	}, {
		Name: "UserPromptSubmit", Kind: Prompt, Timeout: qwenCommands, Bridged: true, PlainText: TextContext,
		Fields: qwenFields(optional("prompt_id", PromptID), field("prompt", PromptText),
			field("submitted_prompt", PromptText)),
		Needs: []string{"submitted_prompt"},
		Rows:  qwenRows(append(qwenBlock(), qwenContext())...),
		Lost:  []string{"A plugin cannot change the prompt: Qwen Code takes text beside it, or refuses it."},
	}, {
		Name: "PreCompact", Kind: BeforeCompact, Matches: Trigger, Matcher: exact, Timeout: qwenCommands, Bridged: true,
		Fields: qwenFields(optional("prompt_id", PromptID), field("trigger", Trigger),
			Field{Name: "custom_instructions", Value: Instructions, Const: `""`}),
		Rows: qwenRows(qwenBlock()...),
		Lost: []string{"A plugin cannot give the summary itself, or run a recipe instead: it can only refuse a compaction."},
	}, {
		Name: "PostCompact", Kind: AfterCompact, Matches: Trigger, Matcher: exact, Timeout: qwenCommands, Bridged: true,
		Fields: qwenFields(optional("prompt_id", PromptID), field("trigger", Trigger), field("compact_summary", Summary)),
		Rows:   qwenRows(),
	}, {
		Name: "SessionEnd", Kind: SessionEnd, Matches: Reason, Timeout: qwenCommands, Bridged: true,
		Fields: qwenFields(before, field("reason", Reason)), Rows: qwenRows(),
		Lost: []string{"Qwen Code does not say that a session has ended when it runs with -p."},
	}}
}

// qwenToolEvents are the events of tool calls.
func qwenToolEvents() []Event {
	call := []Field{optional("prompt_id", PromptID), formed("tool_name", ToolName, AsTool),
		formed("tool_input", ToolInput, AsInput)}
	ids := []Field{{Name: "tool_use_id", Value: CallID, Writes: true}, field("tool_call_id", CallID)}
	permission := "hookSpecificOutput.permissionDecision"
	return []Event{{
		Name: "PreToolUse", Kind: BeforeTool, Matches: ToolName, Timeout: qwenCommands, Bridged: true,
		Fields: qwenFields(slices.Concat(call, ids)...),
		Rows: qwenRows(slices.Concat([]Row{
			{Path: permission, Is: `"deny"`, Set: SetDecision, To: "deny"},
			{Path: permission, Is: `"ask"`, Set: SetDecision, To: "ask"},
			{Path: permission, Is: `"allow"`, Set: SetDecision, To: "allow"},
			{Path: permission + "Reason", Set: SetReason},
			{Path: "hookSpecificOutput.updatedInput", Set: NoEffect},
			{Path: "hookSpecificOutput.additionalContext", Set: NoEffect},
		}, qwenBlock())...),
		Lost: []string{"Qwen Code ignores rewritten arguments: the tool runs with those of the model.",
			"Qwen Code ignores a context given before a tool: give it after the tool.",
			"A plugin that ends the turn refuses the call, and the turn goes on."},
	}, {
		Name: "PermissionRequest", Kind: AskPermission, Matches: ToolName, Timeout: qwenCommands, Bridged: true,
		Fields: qwenFields(call...),
		Rows: qwenRows(
			Row{Path: "hookSpecificOutput.decision.behavior", Is: `"allow"`, Set: SetDecision, To: "allow"},
			Row{Path: "hookSpecificOutput.decision.behavior", Is: `"deny"`, Set: SetDecision, To: "deny"},
			Row{Path: "hookSpecificOutput.decision.message", Set: SetReason,
				Needs: []string{`hookSpecificOutput.decision.behavior="deny"`}}),
	}, {
		Name: "PostToolUse", Kind: ToolSucceeded, Matches: ToolName, Timeout: qwenCommands, Bridged: true,
		Fields: qwenFields(slices.Concat(call, []Field{formed("tool_response", ToolOutput, AsResult)}, ids,
			[]Field{optional("duration_ms", Duration)})...),
		Rows: qwenRows(qwenContext(),
			Row{Path: "stopReason", Set: SetOutput, Needs: []string{"continue=false"}},
			Row{Path: "decision", Set: NoEffect}, Row{Path: "reason", Set: Silent},
			Row{Path: "hookSpecificOutput.updatedToolOutput", Set: NoEffect},
			Row{Path: "hookSpecificOutput.updatedMCPToolOutput", Set: NoEffect}),
		Exits: []Exit{{Status: "2", JSON: "ignored", Then: "failed"}},
		Lost:  []string{"A plugin cannot end the turn after a tool: the turn goes on."},
	}, {
		Name: "PostToolUseFailure", Kind: ToolFailed, Matches: ToolName, Timeout: qwenCommands, Bridged: true,
		Fields: qwenFields(slices.Concat(call[:1], ids, call[1:], []Field{field("error", ToolError),
			fixed("is_interrupt", "false"), optional("duration_ms", Duration)})...),
		Rows:  qwenRows(qwenContext(), Row{Path: "decision", Set: NoEffect}, Row{Path: "reason", Set: Silent}),
		Exits: []Exit{{Status: "2", JSON: "ignored", Then: "failed"}},
		Lost:  []string{"A plugin cannot replace the error of a tool that failed: its text stands beside it."},
	}, {
		Name: "PostToolBatch", Kind: AfterBatch, Timeout: qwenCommands, Bridged: true,
		Fields: qwenFields(call[0], Field{Name: "tool_calls", Value: Calls, Form: AsCalls,
			Each: slices.Concat(call[1:], []Field{field("tool_use_id", CallID), field("tool_call_id", CallID),
				field("status", ToolStatus),
				formed("tool_response", ToolOutput, AsResult)})}),
		Results: []Result{{Fields: []Field{field("result_display", ToolOutput), fixed("execution_status", `"success"`)}}},
		Rows:    qwenRows(qwenContext(), Row{Path: "decision", Set: NoEffect}, Row{Path: "reason", Set: Silent}),
		Lost:    []string{"A plugin cannot end the turn after the tools: the turn goes on."},
	}}
}

// qwenTurn are the events of the turn and of sub-agents.
func qwenTurn() []Event {
	tasks := []Field{fixed("background_tasks", "[]"), fixed("crons", "[]")}
	prompt := optional("prompt_id", PromptID)
	return []Event{{
		Name: "Stop", Kind: Stop, Timeout: qwenCommands, Bridged: true,
		Fields: qwenFields(slices.Concat([]Field{prompt, field("stop_hook_active", StopActive),
			field("last_assistant_message", Response)}, tasks, theirs("context_usage", "context_limit", "input_tokens"))...),
		Rows: qwenRows(append(qwenBlock(), Row{Path: "hookSpecificOutput.additionalContext", Set: NoEffect})...),
		Lost: []string{"A plugin cannot end the turn at its stop, where another plugin wants it to go on."},
	}, {
		Name: "StopFailure", Kind: TurnFailed, Matches: FailureKind, Timeout: qwenCommands, Bridged: true,
		Fields: qwenFields(prompt, field("error", FailureKind), Field{Name: "error_details", Value: Failure, Optional: true},
			optional("last_assistant_message", Response)),
		Rows: qwenRows(),
	}, {
		Name: "SubagentStart", Kind: AgentStart, Matches: AgentType, Timeout: qwenCommands, Bridged: true,
		Fields: qwenFields(prompt, field("agent_type", AgentType)), Rows: qwenRows(qwenContext()),
		Lost: []string{"A plugin cannot refuse or change a sub-agent here: use pre_tool, where it is the call of a tool."},
	}, {
		Name: "SubagentStop", Kind: AgentStop, Matches: AgentType, Timeout: qwenCommands, Bridged: true,
		Fields: qwenFields(slices.Concat([]Field{prompt, fixed("stop_hook_active", "false"), field("agent_type", AgentType)},
			theirs("agent_transcript_path"), []Field{field("last_assistant_message", Response)}, tasks)...),
		Rows: qwenRows(append(qwenBlock(), Row{Path: "hookSpecificOutput.additionalContext", Set: NoEffect})...),
	}, {
		Name: "MessageDisplay", Kind: AfterResponse, Timeout: qwenCommands,
		Fields: qwenFields(prompt, optional("message_id", PromptID), field("displayed_text", Response),
			fixed("is_final", "true")),
		Needs: []string{"is_final=true"}, Rows: qwenRows(),
	}}
}
