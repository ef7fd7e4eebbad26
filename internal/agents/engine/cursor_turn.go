package engine

// cursorFollowup is the member of an answer that makes a turn go on.
func cursorFollowup() []Row {
	return []Row{
		{Path: "followup_message", Set: SetDecision, To: "deny"}, {Path: "followup_message", Set: SetReason},
	}
}

// cursorTurnEvents are the events about sessions and turns.
func cursorTurnEvents() []Event {
	return []Event{
		{
			Name: "sessionStart", Kind: SessionStart, Timeout: cursorLimit, Bridged: true,
			Fields: cursorFields("sessionStart", Field{Name: "session_id", Value: Session},
				Field{Name: "is_background_agent", Const: "false"}, Field{Name: "composer_mode", Const: `"agent"`}),
			Rows: []Row{
				{Path: "additional_context", Set: SetContext}, {Path: "env", Set: SetEnv},
				{Path: "continue", Is: "false", Set: NoEffect},
				{Path: "user_message", Set: SetSystemMessage},
			},
		},
		{
			Name: "sessionEnd", Kind: SessionEnd, Timeout: cursorLimit, Bridged: true,
			Fields: cursorFields("sessionEnd", Field{Name: "session_id", Value: Session},
				Field{Name: "reason", Value: Reason, Const: `"completed"`}, Field{Name: "duration_ms", Value: Duration, Const: "0"},
				Field{Name: "is_background_agent", Const: "false"}, Field{Name: "final_status", Const: `"completed"`}),
		},
		{
			Name: "beforeSubmitPrompt", Kind: Prompt, Timeout: cursorLimit, Bridged: true,
			Fields: cursorFields("beforeSubmitPrompt", Field{Name: "prompt", Value: PromptText},
				Field{Name: "attachments", Const: "[]"}),
			Rows: []Row{
				{Path: "continue", Is: "false", Set: SetDecision, To: "deny"},
				{Path: "user_message", Set: SetReason}, {Path: "userMessage", Set: SetReason},
			},
			Lost: []string{"the prompt cannot be rewritten, and context is not taken here"},
		},
		{
			Name: "stop", Kind: Stop, Also: []Kind{TurnFailed, TurnInterrupted}, Timeout: cursorLimit, Bridged: true,
			Fields: cursorFields("stop", Field{Name: "status", Value: FailureKind, Const: `"completed"`},
				Field{Name: "loop_count", Value: FollowUps, Const: "0"}),
			Rows: cursorFollowup(),
			Lost: []string{"context is not taken here, and the turn is continued at most five times"},
		},
		{
			Name: "afterAgentResponse", Kind: AfterResponse, Timeout: cursorLimit, Bridged: true,
			Fields: cursorFields("afterAgentResponse", Field{Name: "text", Value: Response}),
			Lost:   []string{"plugins can only look at the response"},
		},
		{
			Name: "afterAgentThought", Kind: Never, Timeout: cursorLimit,
			Fields: cursorFields("afterAgentThought", Field{Name: "text", Value: Response}, Field{Name: "duration_ms"}),
		},
	}
}

// cursorAgentEvents are the events about compactions and sub-agents, and those that chibi has no
// moment for.
func cursorAgentEvents() []Event {
	return []Event{
		{
			Name: "preCompact", Kind: BeforeCompact, Timeout: cursorLimit, Bridged: true,
			Fields: cursorFields("preCompact", Field{Name: "trigger", Value: Trigger},
				Field{Name: "context_usage_percent", Const: "0"}, Field{Name: "context_tokens", Const: "0"},
				Field{Name: "context_window_size", Const: "0"}, Field{Name: "message_count", Value: Messages, Const: "0"},
				Field{Name: "messages_to_compact", Value: Messages, Const: "0"},
				Field{Name: "is_first_compaction", Const: "false"}),
			Rows: []Row{
				{Path: "user_message", Set: SetSystemMessage}, {Path: "userMessage", Set: SetSystemMessage},
			},
			Lost: []string{"a compaction cannot be blocked"},
		},
		{
			Name: "subagentStart", Kind: AgentStart, Matches: AgentType, Timeout: cursorLimit, Bridged: true,
			Fields: cursorFields("subagentStart", Field{Name: "subagent_id", Value: AgentID},
				Field{Name: "subagent_type", Value: AgentType, Const: `"generalPurpose"`}, Field{Name: "task", Value: Task},
				Field{Name: "parent_conversation_id", Value: Session}, Field{Name: "tool_call_id", Value: CallID, Optional: true},
				Field{Name: "subagent_model", Value: Model}, Field{Name: "is_parallel_worker", Const: "false"}),
			Rows: []Row{
				{Path: "permission", Is: `"deny"`, Set: SetDecision, To: "deny"},
				{Path: "permission", Is: `"allow"`, Set: Silent}, {Path: "permission", Is: `"ask"`, Set: NoEffect},
				{Path: "user_message", Set: SetReason}, {Path: "userMessage", Set: SetReason},
			},
			Lost: []string{"the task cannot be rewritten"},
		},
		{
			Name: "subagentStop", Kind: AgentStop, Matches: AgentType, Timeout: cursorLimit, Bridged: true,
			Fields: cursorFields("subagentStop", Field{Name: "subagent_type", Value: AgentType, Const: `"generalPurpose"`},
				Field{Name: "status", Value: ToolStatus, Const: `"completed"`}, Field{Name: "task", Value: Task},
				Field{Name: "summary", Value: Response}, Field{Name: "duration_ms", Value: Duration, Const: "0"},
				Field{Name: "loop_count", Value: FollowUps, Const: "0"}),
			Rows: cursorFollowup(),
			Lost: []string{"what the sub-agent answers cannot be rewritten"},
		},
		{Name: "workspaceOpen", Kind: Never, Timeout: cursorLimit, Fields: cursorFields("workspaceOpen")},
		{Name: "beforeTabFileRead", Kind: Never, Timeout: cursorLimit,
			Fields: cursorFields("beforeTabFileRead", Field{Name: "file_path", Value: Path},
				Field{Name: "content", Value: FileContent})},
		{Name: "afterTabFileEdit", Kind: Never, Timeout: cursorLimit,
			Fields: cursorFields("afterTabFileEdit", Field{Name: "file_path", Value: Path}, Field{Name: "edits", Const: "[]"})},
	}
}
