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
			Fields: fields("sessionStart", engine.Holds("session_id", engine.Session),
				engine.Fixed("is_background_agent", "false"), engine.Fixed("composer_mode", `"agent"`)),
			Rows: []engine.Row{
				{Path: "additional_context", Set: engine.SetContext}, {Path: "env", Set: engine.SetEnv},
				{Path: "continue", Is: "false", Set: engine.NoEffect},
				{Path: "user_message", Set: engine.SetSystemMessage},
			},
		},
		{
			Name: "sessionEnd", Kind: engine.SessionEnd, Timeout: timeLimit, Bridged: true,
			Fields: fields("sessionEnd", engine.Holds("session_id", engine.Session),
				engine.Usually("reason", engine.Reason, `"completed"`), engine.Usually("duration_ms", engine.Duration, "0"),
				engine.Fixed("is_background_agent", "false"), engine.Fixed("final_status", `"completed"`)),
		},
		{
			Name: "beforeSubmitPrompt", Kind: engine.Prompt, Timeout: timeLimit, Bridged: true,
			Fields: fields("beforeSubmitPrompt", engine.Holds("prompt", engine.PromptText), engine.Fixed("attachments", "[]")),
			Rows: []engine.Row{
				{Path: "continue", Is: "false", Set: engine.SetDecision, To: "deny"},
				{Path: "user_message", Set: engine.SetReason}, {Path: "userMessage", Set: engine.SetReason},
			},
			Lost: []string{"A plugin cannot change the prompt, and Cursor takes no context here."},
		},
		{
			Name: "stop", Kind: engine.Stop, Also: []engine.Kind{engine.TurnFailed, engine.TurnInterrupted}, Timeout: timeLimit,
			Bridged: true,
			Fields: fields("stop", engine.Usually("status", engine.FailureKind, `"completed"`),
				engine.Usually("loop_count", engine.FollowUps, "0")),
			Rows: followup(),
			Lost: []string{"Cursor takes no context here, and goes on at most five times in a turn."},
		},
		{
			Name: "afterAgentResponse", Kind: engine.AfterResponse, Timeout: timeLimit, Bridged: true,
			Fields: fields("afterAgentResponse", engine.Holds("text", engine.Response)),
			Lost:   []string{"Plugins can only look at the response."},
		},
		{
			Name: "afterAgentThought", Kind: engine.Never, Timeout: timeLimit,
			Fields: fields("afterAgentThought", engine.Holds("text", engine.Response), engine.Field{Name: "duration_ms"}),
		},
	}
}

// agentEvents are the events about compactions and sub-agents, and events for which chibi has no moment.
func agentEvents() []engine.Event {
	return []engine.Event{
		{
			Name: "preCompact", Kind: engine.BeforeCompact, Timeout: timeLimit, Bridged: true,
			Fields: fields("preCompact", engine.Holds("trigger", engine.Trigger), engine.Fixed("context_usage_percent", "0"),
				engine.Fixed("context_tokens", "0"), engine.Fixed("context_window_size", "0"),
				engine.Usually("message_count", engine.Messages, "0"), engine.Usually("messages_to_compact", engine.Messages, "0"),
				engine.Fixed("is_first_compaction", "false")),
			Rows: []engine.Row{
				{Path: "user_message", Set: engine.SetSystemMessage}, {Path: "userMessage", Set: engine.SetSystemMessage},
			},
			Lost: []string{"A plugin cannot refuse a compaction."},
		},
		{
			Name: "subagentStart", Kind: engine.AgentStart, Matches: engine.AgentType, Timeout: timeLimit, Bridged: true,
			Fields: fields("subagentStart", engine.Holds("subagent_id", engine.AgentID),
				engine.Usually("subagent_type", engine.AgentType, `"generalPurpose"`), engine.Holds("task", engine.Task),
				engine.Holds("parent_conversation_id", engine.Session), engine.Optional("tool_call_id", engine.CallID),
				engine.Holds("subagent_model", engine.Model), engine.Fixed("is_parallel_worker", "false")),
			Rows: []engine.Row{
				{Path: "permission", Is: `"deny"`, Set: engine.SetDecision, To: "deny"},
				{Path: "permission", Is: `"allow"`, Set: engine.Silent}, {Path: "permission", Is: `"ask"`, Set: engine.NoEffect},
				{Path: "user_message", Set: engine.SetReason}, {Path: "userMessage", Set: engine.SetReason},
			},
			Lost: []string{"A plugin cannot change the task."},
		},
		{
			Name: "subagentStop", Kind: engine.AgentStop, Matches: engine.AgentType, Timeout: timeLimit, Bridged: true,
			Fields: fields("subagentStop", engine.Usually("subagent_type", engine.AgentType, `"generalPurpose"`),
				engine.Usually("status", engine.ToolStatus, `"completed"`), engine.Holds("task", engine.Task),
				engine.Holds("summary", engine.Response), engine.Usually("duration_ms", engine.Duration, "0"),
				engine.Usually("loop_count", engine.FollowUps, "0")),
			Rows: followup(),
			Lost: []string{"A plugin cannot change the sub-agent's answer."},
		},
		{Name: "workspaceOpen", Kind: engine.Never, Timeout: timeLimit, Fields: fields("workspaceOpen")},
		{Name: "beforeTabFileRead", Kind: engine.Never, Timeout: timeLimit,
			Fields: fields("beforeTabFileRead", engine.Holds("file_path", engine.Path),
				engine.Holds("content", engine.FileContent))},
		{Name: "afterTabFileEdit", Kind: engine.Never, Timeout: timeLimit,
			Fields: fields("afterTabFileEdit", engine.Holds("file_path", engine.Path), engine.Fixed("edits", "[]"))},
	}
}
