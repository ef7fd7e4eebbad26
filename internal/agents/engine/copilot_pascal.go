package engine

import (
	"slices"

	"github.com/chibi-host/chibi/plugin/toolnames"
)

// copilotPascalFields are the fields of an event in PascalCase; those of a sub-agent stand
// before the event's own.
func copilotPascalFields(event string, fields ...Field) []Field {
	return append([]Field{
		{Name: "hook_event_name", Const: `"` + event + `"`}, {Name: "session_id", Value: Session},
		{Name: "timestamp", Value: Time}, {Name: "cwd", Value: Cwd},
		{Name: "agent_id", Value: AgentID, Optional: true}, {Name: "agent_type", Value: AgentType, Optional: true},
		{Name: "parent_agent_id", Value: ParentAgent, Optional: true},
	}, fields...)
}

// copilotPascalTools is copilotTools by Claude Code's names, with Copilot's as further ones; the
// arguments keep Copilot's.
func copilotPascalTools() toolnames.Table {
	table := copilotTools()
	for i, t := range table {
		table[i].Also = append([]string{t.Name}, t.Also...)
		switch t.Name {
		case "bash":
			table[i].Name = "Bash"
		case "view":
			table[i].Name = "Read"
		case "create":
			table[i].Name = "Write"
		case "edit":
			table[i].Name = "Edit"
		case "glob":
			table[i].Name = "Glob"
		case "grep":
			table[i].Name = "Grep"
		case "web_fetch":
			table[i].Name = "WebFetch"
		case "task":
			table[i].Name, table[i].Also = "Agent", []string{"task", "Task"}
		}
	}
	return table
}

// copilotPascalMatcher is Claude Code's rule, but that a pattern must match the whole name.
func copilotPascalMatcher() *MatcherRule {
	return &MatcherRule{Names: "_- ", Separators: "|,", Whole: true, Lookaround: true}
}

// copilotPascalToolEvents are the events about tools in PascalCase. None is bridged: those in
// camelCase are.
func copilotPascalToolEvents() []Event {
	call := func(event string, more ...Field) []Field {
		return copilotPascalFields(event, append([]Field{
			{Name: "tool_name", Value: ToolName, Form: AsTool}, {Name: "tool_input", Value: ToolInput, Form: AsInput},
		}, more...)...)
	}
	result := []Result{{Fields: []Field{
		{Name: "result_type", Const: `"success"`}, {Name: "text_result_for_llm", Value: ToolOutput},
	}}}
	names := copilotPascalTools()
	permission := copilotPermission("PermissionRequest", false)
	permission.Matcher = copilotPascalMatcher()
	return []Event{
		{
			Name: "PreToolUse", Kind: BeforeTool, Matches: ToolName, Timeout: copilotLimit,
			Fields: call("PreToolUse"), Tools: names, Matcher: copilotPascalMatcher(),
			Rows: slices.Concat(copilotBeforeTool(), copilotSpecific(
				Row{Path: "permissionDecision", Is: `"deny"`, Set: SetDecision, To: "deny"},
				Row{Path: "permissionDecision", Is: `"ask"`, Set: SetDecision, To: "ask"},
				Row{Path: "permissionDecision", Is: `"allow"`, Set: SetDecision, To: "allow"},
				Row{Path: "permissionDecisionReason", Set: SetReason},
				Row{Path: "updatedInput", Set: SetInput},
				copilotContext(),
			)),
			Exits: copilotNonZeroDenies(),
		},
		permission,
		{
			Name: "PostToolUse", Kind: ToolSucceeded, Matches: ToolName, Timeout: copilotLimit,
			Fields: call("PostToolUse", Field{Name: "tool_result", Value: ToolOutput, Form: AsResult}),
			Tools:  names, Results: result, Matcher: copilotPascalMatcher(),
			Rows: append(copilotAfterTool(), copilotSpecific(Row{Path: "additionalContext", Set: NoEffect},
				Row{Path: "updatedToolOutput", Set: NoEffect})...),
			DenyReplaces: true,
		},
		{
			Name: "PostToolUseFailure", Kind: ToolFailed, Matches: ToolName, Timeout: copilotLimit,
			Fields: call("PostToolUseFailure", Field{Name: "error", Value: ToolError}), Tools: names,
			Matcher: copilotPascalMatcher(),
			Rows: append([]Row{copilotContext()},
				copilotSpecific(Row{Path: "additionalContext", Set: NoEffect})...),
			Exits: []Exit{{Status: "2", JSON: "ignored", Then: "context"}},
		},
	}
}

// copilotSpecific puts rows into hookSpecificOutput, where answers for Claude Code have them.
func copilotSpecific(rows ...Row) []Row {
	for i := range rows {
		rows[i].Path = "hookSpecificOutput." + rows[i].Path
	}
	return append(rows, Row{Path: "hookSpecificOutput.hookEventName", Set: Silent})
}

// copilotPascalEnded says how a turn has ended.
func copilotPascalEnded() []Field {
	return []Field{
		{Name: "stop_reason", Const: `"end_turn"`}, {Name: "stop_hook_active", Value: StopActive, Const: "false"},
	}
}

// copilotPascalTurnEvents are the other events in PascalCase.
func copilotPascalTurnEvents() []Event {
	transcript := Field{Name: "transcript_path", Value: Transcript}
	context := append([]Row{copilotContext()}, copilotSpecific(Row{Path: "additionalContext", Set: NoEffect})...)
	return []Event{
		{
			Name: "SessionStart", Kind: SessionStart, Matches: Source, Timeout: copilotLimit, Matcher: copilotPascalMatcher(),
			Fields: copilotPascalFields("SessionStart", Field{Name: "source", Value: Source},
				Field{Name: "initial_prompt", Value: PromptText, Optional: true}),
			Rows: context,
		},
		{
			Name: "SessionEnd", Kind: SessionEnd, Timeout: copilotLimit,
			Fields: copilotPascalFields("SessionEnd", Field{Name: "reason", Value: Reason}),
		},
		{
			Name: "UserPromptSubmit", Kind: Prompt, Timeout: copilotLimit,
			Fields: copilotPascalFields("UserPromptSubmit", Field{Name: "prompt", Value: PromptText}),
			Rows:   append(copilotPrompt(), copilotSpecific(Row{Path: "additionalContext", Set: NoEffect})...),
		},
		{
			Name: "Stop", Kind: Stop, Timeout: copilotLimit,
			Fields: copilotPascalFields("Stop", append([]Field{transcript}, copilotPascalEnded()...)...),
			Rows:   copilotStop(),
		},
	}
}

// copilotPascalAgentEvents are the events about sub-agents and compactions, and of failures.
func copilotPascalAgentEvents() []Event {
	transcript := Field{Name: "transcript_path", Value: Transcript}
	context := append([]Row{copilotContext()}, copilotSpecific(Row{Path: "additionalContext", Set: NoEffect})...)
	return []Event{
		{
			Name: "SubagentStart", Kind: AgentStart, Matches: AgentType, Timeout: copilotLimit,
			Matcher: copilotPascalMatcher(),
			Fields: []Field{
				{Name: "sessionId", Value: Session}, {Name: "timestamp", Value: Time, Form: AsMillis}, {Name: "cwd", Value: Cwd},
				{Name: "transcriptPath", Value: Transcript}, {Name: "agentName", Value: AgentType},
				{Name: "agent_id", Value: AgentID, Optional: true}, {Name: "agent_type", Value: AgentType, Optional: true},
				{Name: "parent_agent_id", Value: ParentAgent, Optional: true},
			},
			Rows: context,
		},
		{
			Name: "SubagentStop", Kind: AgentStop, Matches: AgentType, Timeout: copilotLimit, Matcher: copilotPascalMatcher(),
			Fields: copilotPascalFields("SubagentStop", append([]Field{transcript, {Name: "agent_name", Value: AgentType},
				{Name: "last_assistant_message", Value: Response}}, copilotPascalEnded()...)...),
			Rows: append(copilotStop(), Row{Path: "modifiedResponse", Set: NoEffect}),
		},
		{
			Name: "PreCompact", Kind: BeforeCompact, Matches: Trigger, Timeout: copilotLimit, Matcher: copilotPascalMatcher(),
			Fields: copilotPascalFields("PreCompact", transcript, Field{Name: "trigger", Value: Trigger},
				Field{Name: "custom_instructions", Value: Instructions, Const: `""`}),
		},
		{
			Name: "ErrorOccurred", Kind: TurnFailed, Timeout: copilotLimit,
			Fields: copilotPascalFields("ErrorOccurred", Field{Name: "error.message", Value: Failure},
				Field{Name: "error.name", Const: `"Error"`}, Field{Name: "error.stack", Value: Failure},
				Field{Name: "error_context", Const: `"model_call"`},
				Field{Name: "recoverable", Const: "false"}),
		},
		{
			Name: "Notification", Kind: Never, Timeout: copilotLimit, Rows: context,
			Fields: copilotPascalFields("Notification", Field{Name: "message"}, Field{Name: "title"},
				Field{Name: "notification_type"}),
		},
	}
}
