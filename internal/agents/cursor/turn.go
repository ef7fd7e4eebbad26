package cursor

import "github.com/chibi-host/chibi/internal/agents/engine"

// followup is the member of an answer that makes a turn go on.
func followup() []engine.Row {
	return []engine.Row{
		{Path: "followup_message", Set: engine.SetDecision, To: "deny"}, {Path: "followup_message", Set: engine.SetReason},
	}
}

// turnEvents are the events about sessions and turns.
func turnEvents() []engine.Event {
	return []engine.Event{
		{
			Name: "sessionStart", Kind: engine.SessionStart, Timeout: timeLimit, Bridged: true,
			Fields: fields("sessionStart", engine.Field{Name: "session_id", Value: engine.Session},
				engine.Field{Name: "is_background_agent", Const: "false"}, engine.Field{Name: "composer_mode", Const: `"agent"`}),
			Rows: []engine.Row{
				{Path: "additional_context", Set: engine.SetContext}, {Path: "env", Set: engine.SetEnv},
				{Path: "continue", Is: "false", Set: engine.NoEffect},
				{Path: "user_message", Set: engine.SetSystemMessage},
			},
		},
		{
			Name: "sessionEnd", Kind: engine.SessionEnd, Timeout: timeLimit, Bridged: true,
			Fields: fields("sessionEnd", engine.Field{Name: "session_id", Value: engine.Session},
				engine.Field{Name: "reason", Value: engine.Reason, Const: `"completed"`},
				engine.Field{Name: "duration_ms", Value: engine.Duration, Const: "0"},
				engine.Field{Name: "is_background_agent", Const: "false"}, engine.Field{Name: "final_status",
					Const: `"completed"`}),
		},
		{
			Name: "beforeSubmitPrompt", Kind: engine.Prompt, Timeout: timeLimit, Bridged: true,
			Fields: fields("beforeSubmitPrompt", engine.Field{Name: "prompt", Value: engine.PromptText},
				engine.Field{Name: "attachments", Const: "[]"}),
			Rows: []engine.Row{
				{Path: "continue", Is: "false", Set: engine.SetDecision, To: "deny"},
				{Path: "user_message", Set: engine.SetReason}, {Path: "userMessage", Set: engine.SetReason},
			},
			Lost: []string{"the prompt cannot be rewritten, and context is not taken here"},
		},
		{
			Name: "stop", Kind: engine.Stop, Also: []engine.Kind{engine.TurnFailed, engine.TurnInterrupted}, Timeout: timeLimit,
			Bridged: true,
			Fields: fields("stop", engine.Field{Name: "status", Value: engine.FailureKind, Const: `"completed"`},
				engine.Field{Name: "loop_count", Value: engine.FollowUps, Const: "0"}),
			Rows: followup(),
			Lost: []string{"context is not taken here, and the turn is continued at most five times"},
		},
		{
			Name: "afterAgentResponse", Kind: engine.AfterResponse, Timeout: timeLimit, Bridged: true,
			Fields: fields("afterAgentResponse", engine.Field{Name: "text", Value: engine.Response}),
			Lost:   []string{"plugins can only look at the response"},
		},
		{
			Name: "afterAgentThought", Kind: engine.Never, Timeout: timeLimit,
			Fields: fields("afterAgentThought", engine.Field{Name: "text", Value: engine.Response},
				engine.Field{Name: "duration_ms"}),
		},
	}
}

// agentEvents are the events about compactions and sub-agents, and those that chibi has no
// moment for.
func agentEvents() []engine.Event {
	return []engine.Event{
		{
			Name: "preCompact", Kind: engine.BeforeCompact, Timeout: timeLimit, Bridged: true,
			Fields: fields("preCompact", engine.Field{Name: "trigger", Value: engine.Trigger},
				engine.Field{Name: "context_usage_percent", Const: "0"}, engine.Field{Name: "context_tokens", Const: "0"},
				engine.Field{Name: "context_window_size", Const: "0"}, engine.Field{Name: "message_count", Value: engine.Messages,
					Const: "0"},
				engine.Field{Name: "messages_to_compact", Value: engine.Messages, Const: "0"},
				engine.Field{Name: "is_first_compaction", Const: "false"}),
			Rows: []engine.Row{
				{Path: "user_message", Set: engine.SetSystemMessage}, {Path: "userMessage", Set: engine.SetSystemMessage},
			},
			Lost: []string{"a compaction cannot be blocked"},
		},
		{
			Name: "subagentStart", Kind: engine.AgentStart, Matches: engine.AgentType, Timeout: timeLimit, Bridged: true,
			Fields: fields("subagentStart", engine.Field{Name: "subagent_id", Value: engine.AgentID},
				engine.Field{Name: "subagent_type", Value: engine.AgentType, Const: `"generalPurpose"`},
				engine.Field{Name: "task", Value: engine.Task},
				engine.Field{Name: "parent_conversation_id", Value: engine.Session},
				engine.Field{Name: "tool_call_id", Value: engine.CallID, Optional: true},
				engine.Field{Name: "subagent_model", Value: engine.Model}, engine.Field{Name: "is_parallel_worker",
					Const: "false"}),
			Rows: []engine.Row{
				{Path: "permission", Is: `"deny"`, Set: engine.SetDecision, To: "deny"},
				{Path: "permission", Is: `"allow"`, Set: engine.Silent}, {Path: "permission", Is: `"ask"`, Set: engine.NoEffect},
				{Path: "user_message", Set: engine.SetReason}, {Path: "userMessage", Set: engine.SetReason},
			},
			Lost: []string{"the task cannot be rewritten"},
		},
		{
			Name: "subagentStop", Kind: engine.AgentStop, Matches: engine.AgentType, Timeout: timeLimit, Bridged: true,
			Fields: fields("subagentStop", engine.Field{Name: "subagent_type", Value: engine.AgentType,
				Const: `"generalPurpose"`},
				engine.Field{Name: "status", Value: engine.ToolStatus, Const: `"completed"`},
				engine.Field{Name: "task", Value: engine.Task},
				engine.Field{Name: "summary", Value: engine.Response}, engine.Field{Name: "duration_ms", Value: engine.Duration,
					Const: "0"},
				engine.Field{Name: "loop_count", Value: engine.FollowUps, Const: "0"}),
			Rows: followup(),
			Lost: []string{"what the sub-agent answers cannot be rewritten"},
		},
		{Name: "workspaceOpen", Kind: engine.Never, Timeout: timeLimit, Fields: fields("workspaceOpen")},
		{Name: "beforeTabFileRead", Kind: engine.Never, Timeout: timeLimit,
			Fields: fields("beforeTabFileRead", engine.Field{Name: "file_path", Value: engine.Path},
				engine.Field{Name: "content", Value: engine.FileContent})},
		{Name: "afterTabFileEdit", Kind: engine.Never, Timeout: timeLimit,
			Fields: fields("afterTabFileEdit", engine.Field{Name: "file_path", Value: engine.Path},
				engine.Field{Name: "edits", Const: "[]"})},
	}
}
