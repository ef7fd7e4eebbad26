package copilot

import (
	"slices"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin/toolnames"
)

// pascalFields are the fields of an event in PascalCase; the fields of a sub-agent stand before the event's own.
func pascalFields(event string, fields ...engine.Field) []engine.Field {
	return append([]engine.Field{
		{Name: "hook_event_name", Const: `"` + event + `"`}, {Name: "session_id", Value: engine.Session},
		{Name: "timestamp", Value: engine.Time}, {Name: "cwd", Value: engine.Cwd},
		{Name: "agent_id", Value: engine.AgentID, Optional: true},
		{Name: "agent_type", Value: engine.AgentType, Optional: true},
		{Name: "parent_agent_id", Value: engine.ParentAgent, Optional: true},
	}, fields...)
}

// pascalToolNames is toolNames by Claude Code's names, with Copilot's as further names. Arguments keep Copilot's
// names.
func pascalToolNames() toolnames.Table {
	table := toolNames()
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

// pascalMatcher is Claude Code's rule, except that a pattern must match the whole name.
func pascalMatcher() *engine.MatcherRule {
	return &engine.MatcherRule{Names: "_- ", Separators: "|,", Whole: true, Lookaround: true}
}

// pascalToolEvents are the events about tools in PascalCase. chibi bridges only the events in camelCase.
func pascalToolEvents() []engine.Event {
	call := func(event string, more ...engine.Field) []engine.Field {
		return pascalFields(event, append([]engine.Field{
			{Name: "tool_name", Value: engine.ToolName, Form: engine.AsTool},
			{Name: "tool_input", Value: engine.ToolInput, Form: engine.AsInput},
		}, more...)...)
	}
	result := []engine.Result{{Fields: []engine.Field{
		{Name: "result_type", Const: `"success"`}, {Name: "text_result_for_llm", Value: engine.ToolOutput},
	}}}
	names := pascalToolNames()
	permission := permissionEvent("PermissionRequest", false)
	permission.Matcher = pascalMatcher()
	return []engine.Event{
		{
			Name: "PreToolUse", Kind: engine.BeforeTool, Matches: engine.ToolName, Timeout: timeLimit,
			Fields: call("PreToolUse"), Tools: names, Matcher: pascalMatcher(),
			Rows: slices.Concat(beforeTool(), specific(
				engine.Row{Path: "permissionDecision", Is: `"deny"`, Set: engine.SetDecision, To: "deny"},
				engine.Row{Path: "permissionDecision", Is: `"ask"`, Set: engine.SetDecision, To: "ask"},
				engine.Row{Path: "permissionDecision", Is: `"allow"`, Set: engine.SetDecision, To: "allow"},
				engine.Row{Path: "permissionDecisionReason", Set: engine.SetReason},
				engine.Row{Path: "updatedInput", Set: engine.SetInput},
				contextRow(),
			)),
			Exits: nonZeroDenies(),
		},
		permission,
		{
			Name: "PostToolUse", Kind: engine.ToolSucceeded, Matches: engine.ToolName, Timeout: timeLimit,
			Fields: call("PostToolUse", engine.Formed("tool_result", engine.ToolOutput, engine.AsResult)),
			Tools:  names, Results: result, Matcher: pascalMatcher(),
			Rows: append(afterTool(), specific(engine.Row{Path: "additionalContext", Set: engine.NoEffect},
				engine.Row{Path: "updatedToolOutput", Set: engine.NoEffect})...),
			DenyReplaces: true,
		},
		{
			Name: "PostToolUseFailure", Kind: engine.ToolFailed, Matches: engine.ToolName, Timeout: timeLimit,
			Fields: call("PostToolUseFailure", engine.Holds("error", engine.ToolError)), Tools: names,
			Matcher: pascalMatcher(),
			Rows: append([]engine.Row{contextRow()},
				specific(engine.Row{Path: "additionalContext", Set: engine.NoEffect})...),
			Exits: []engine.Exit{{Status: "2", JSON: engine.JSONIgnored, Then: engine.EndsContext}},
		},
	}
}

// specific puts rows into hookSpecificOutput, where answers for Claude Code have them.
func specific(rows ...engine.Row) []engine.Row {
	for i := range rows {
		rows[i].Path = "hookSpecificOutput." + rows[i].Path
	}
	return append(rows, engine.Row{Path: "hookSpecificOutput.hookEventName", Set: engine.Silent})
}

// pascalEnded says how a turn has ended.
func pascalEnded() []engine.Field {
	return []engine.Field{
		{Name: "stop_reason", Const: `"end_turn"`}, {Name: "stop_hook_active", Value: engine.StopActive, Const: "false"},
	}
}

// pascalTurnEvents are the other events in PascalCase.
func pascalTurnEvents() []engine.Event {
	transcript := engine.Holds("transcript_path", engine.Transcript)
	context := append([]engine.Row{contextRow()}, specific(engine.Row{Path: "additionalContext", Set: engine.NoEffect})...)
	return []engine.Event{
		{
			Name: "SessionStart", Kind: engine.SessionStart, Matches: engine.Source, Timeout: timeLimit,
			Matcher: pascalMatcher(),
			Fields: pascalFields("SessionStart", engine.Holds("source", engine.Source),
				engine.Optional("initial_prompt", engine.PromptText)),
			Rows: context,
		},
		{
			Name: "SessionEnd", Kind: engine.SessionEnd, Timeout: timeLimit,
			Fields: pascalFields("SessionEnd", engine.Holds("reason", engine.Reason)),
		},
		{
			Name: "UserPromptSubmit", Kind: engine.Prompt, Timeout: timeLimit,
			Fields: pascalFields("UserPromptSubmit", engine.Holds("prompt", engine.PromptText)),
			Rows:   append(promptRows(), specific(engine.Row{Path: "additionalContext", Set: engine.NoEffect})...),
		},
		{
			Name: "Stop", Kind: engine.Stop, Timeout: timeLimit,
			Fields: pascalFields("Stop", append([]engine.Field{transcript}, pascalEnded()...)...),
			Rows:   stop(),
		},
	}
}

// pascalAgentEvents are the events about sub-agents and compactions, and of failures.
func pascalAgentEvents() []engine.Event {
	transcript := engine.Holds("transcript_path", engine.Transcript)
	context := append([]engine.Row{contextRow()}, specific(engine.Row{Path: "additionalContext", Set: engine.NoEffect})...)
	return []engine.Event{
		{
			Name: "SubagentStart", Kind: engine.AgentStart, Matches: engine.AgentType, Timeout: timeLimit,
			Matcher: pascalMatcher(),
			Fields: []engine.Field{
				{Name: "sessionId", Value: engine.Session}, {Name: "timestamp", Value: engine.Time, Form: engine.AsMillis},
				{Name: "cwd", Value: engine.Cwd},
				{Name: "transcriptPath", Value: engine.Transcript}, {Name: "agentName", Value: engine.AgentType},
				{Name: "agent_id", Value: engine.AgentID, Optional: true},
				{Name: "agent_type", Value: engine.AgentType, Optional: true},
				{Name: "parent_agent_id", Value: engine.ParentAgent, Optional: true},
			},
			Rows: context,
		},
		{
			Name: "SubagentStop", Kind: engine.AgentStop, Matches: engine.AgentType, Timeout: timeLimit,
			Matcher: pascalMatcher(),
			Fields: pascalFields("SubagentStop", append([]engine.Field{transcript, {Name: "agent_name", Value: engine.AgentType},
				{Name: "last_assistant_message", Value: engine.Response}}, pascalEnded()...)...),
			Rows: append(stop(), engine.Row{Path: "modifiedResponse", Set: engine.NoEffect}),
		},
		{
			Name: "PreCompact", Kind: engine.BeforeCompact, Matches: engine.Trigger, Timeout: timeLimit,
			Matcher: pascalMatcher(),
			Fields: pascalFields("PreCompact", transcript, engine.Holds("trigger", engine.Trigger),
				engine.Usually("custom_instructions", engine.Instructions, `""`)),
		},
		{
			Name: "ErrorOccurred", Kind: engine.TurnFailed, Timeout: timeLimit,
			Fields: pascalFields("ErrorOccurred", engine.Holds("error.message", engine.Failure),
				engine.Fixed("error.name", `"Error"`), engine.Holds("error.stack", engine.Failure),
				engine.Fixed("error_context", `"model_call"`), engine.Fixed("recoverable", "false")),
		},
		{
			Name: "Notification", Kind: engine.Never, Timeout: timeLimit, Rows: context,
			Fields: pascalFields("Notification", engine.Field{Name: "message"}, engine.Field{Name: "title"},
				engine.Field{Name: "notification_type"}),
		},
	}
}
