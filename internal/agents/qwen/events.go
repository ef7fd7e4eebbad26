package qwen

import (
	"slices"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// events are Qwen Code's events.
func events() []engine.Event {
	return slices.Concat(sessionEvents(), toolEvents(), turnEvents(), engine.Unfired("Setup", "Notification",
		"ConfigChange",
		"InstructionsLoaded", "CwdChanged", "FileChanged", "SessionDelete", "TodoCreated", "TodoCompleted", "WorktreeCreate",
		"WorktreeRemove", "Elicitation", "ElicitationResult", "TaskCreated", "TaskCompleted", "TeammateIdle",
		"PermissionDenied"))
}

// sessionEvents are the events of sessions, prompts and compactions. Qwen Code also asks hooks of prompts when a
// turn goes on without a prompt. The payload then lacks submitted_prompt.
func sessionEvents() []engine.Event {
	before := engine.Field{Name: "prompt_id", Value: engine.PromptID, Reads: true, Optional: true} // only after /clear
	exact := &engine.MatcherRule{Names: "_-", Literal: true, Lookaround: true}
	return []engine.Event{{
		Name: "SessionStart", Kind: engine.SessionStart, Matches: engine.Source, Timeout: commandLimit, Bridged: true,
		Fields:    fields(before, engine.Holds("source", engine.Source), engine.Optional("model", engine.Model)),
		PlainText: engine.TextContext,
		Rows:      rows(contextRow()),
	}, {
		Name: "UserPromptSubmit", Kind: engine.Prompt, Timeout: commandLimit, Bridged: true, PlainText: engine.TextContext,
		Fields: fields(engine.Optional("prompt_id", engine.PromptID), engine.Holds("prompt", engine.PromptText),
			engine.Holds("submitted_prompt", engine.PromptText)),
		Needs: []engine.Condition{engine.Has("submitted_prompt")},
		Rows:  rows(append(block(), contextRow())...),
		Lost:  []string{"A plugin cannot change the prompt: Qwen Code takes text beside it, or refuses it."},
	}, {
		Name: "PreCompact", Kind: engine.BeforeCompact, Matches: engine.Trigger, Matcher: exact, Timeout: commandLimit,
		Bridged: true,
		Fields: fields(engine.Optional("prompt_id", engine.PromptID), engine.Holds("trigger", engine.Trigger),
			engine.Usually("custom_instructions", engine.Instructions, `""`)),
		Rows: rows(block()...),
		Lost: []string{"A plugin cannot give the summary itself, or run a recipe instead: it can only refuse a compaction."},
	}, {
		Name: "PostCompact", Kind: engine.AfterCompact, Matches: engine.Trigger, Matcher: exact, Timeout: commandLimit,
		Bridged: true,
		Fields: fields(engine.Optional("prompt_id", engine.PromptID), engine.Holds("trigger", engine.Trigger),
			engine.Holds("compact_summary", engine.Summary)),
		Rows: rows(),
	}, {
		Name: "SessionEnd", Kind: engine.SessionEnd, Matches: engine.Reason, Timeout: commandLimit, Bridged: true,
		Fields: fields(before, engine.Holds("reason", engine.Reason)), Rows: rows(),
		Lost: []string{"Qwen Code does not say that a session has ended when it runs with -p."},
	}}
}

// toolEvents are the events of tool calls.
func toolEvents() []engine.Event {
	call := []engine.Field{engine.Optional("prompt_id", engine.PromptID),
		engine.Formed("tool_name", engine.ToolName, engine.AsTool),
		engine.Formed("tool_input", engine.ToolInput, engine.AsInput)}
	ids := []engine.Field{{Name: "tool_use_id", Value: engine.CallID, Writes: true},
		engine.Holds("tool_call_id", engine.CallID)}
	permission := "hookSpecificOutput.permissionDecision"
	return []engine.Event{{
		Name: "PreToolUse", Kind: engine.BeforeTool, Matches: engine.ToolName, Timeout: commandLimit, Bridged: true,
		Fields: fields(slices.Concat(call, ids)...),
		Rows: rows(slices.Concat(engine.Decides(permission, "deny", "ask", "allow"), []engine.Row{
			{Path: permission + "Reason", Set: engine.SetReason},
			{Path: "hookSpecificOutput.updatedInput", Set: engine.NoEffect},
			{Path: "hookSpecificOutput.additionalContext", Set: engine.NoEffect},
		}, block())...),
		Lost: []string{"Qwen Code ignores rewritten arguments: the tool runs with the model's.",
			"Qwen Code ignores a context given before a tool: give it after the tool.",
			"A plugin that ends the turn refuses the call, and the turn goes on."},
	}, {
		Name: "PermissionRequest", Kind: engine.AskPermission, Matches: engine.ToolName, Timeout: commandLimit, Bridged: true,
		Fields: fields(call...),
		Rows: rows(append(engine.Decides("hookSpecificOutput.decision.behavior", "allow", "deny"),
			engine.Row{Path: "hookSpecificOutput.decision.message", Set: engine.SetReason,
				Needs: []engine.Condition{engine.Is("hookSpecificOutput.decision.behavior", `"deny"`)}})...),
	}, {
		Name: "PostToolUse", Kind: engine.ToolSucceeded, Matches: engine.ToolName, Timeout: commandLimit, Bridged: true,
		Fields: fields(slices.Concat(call, []engine.Field{engine.Formed("tool_response", engine.ToolOutput, engine.AsResult)},
			ids, []engine.Field{engine.Optional("duration_ms", engine.Duration)})...),
		Rows: rows(contextRow(),
			engine.Row{Path: "stopReason", Set: engine.SetOutput, Needs: []engine.Condition{engine.Is("continue", "false")}},
			engine.Row{Path: "decision", Set: engine.NoEffect}, engine.Row{Path: "reason", Set: engine.Silent},
			engine.Row{Path: "hookSpecificOutput.updatedToolOutput", Set: engine.NoEffect},
			engine.Row{Path: "hookSpecificOutput.updatedMCPToolOutput", Set: engine.NoEffect}),
		Exits: []engine.Exit{{Status: "2", JSON: engine.JSONIgnored, Then: engine.EndsFailed}},
		Lost:  []string{"A plugin cannot end the turn after a tool: the turn goes on."},
	}, {
		Name: "PostToolUseFailure", Kind: engine.ToolFailed, Matches: engine.ToolName, Timeout: commandLimit, Bridged: true,
		Fields: fields(slices.Concat(call[:1], ids, call[1:], []engine.Field{engine.Holds("error", engine.ToolError),
			engine.Fixed("is_interrupt", "false"), engine.Optional("duration_ms", engine.Duration)})...),
		Rows: rows(contextRow(), engine.Row{Path: "decision", Set: engine.NoEffect},
			engine.Row{Path: "reason", Set: engine.Silent}),
		Exits: []engine.Exit{{Status: "2", JSON: engine.JSONIgnored, Then: engine.EndsFailed}},
		Lost:  []string{"A plugin cannot replace the error of a tool that failed: the plugin's text stands beside it."},
	}, {
		Name: "PostToolBatch", Kind: engine.AfterBatch, Timeout: commandLimit, Bridged: true,
		Fields: fields(call[0], engine.Field{Name: "tool_calls", Value: engine.Calls, Form: engine.AsCalls,
			Each: slices.Concat(call[1:], []engine.Field{engine.Holds("tool_use_id", engine.CallID),
				engine.Holds("tool_call_id", engine.CallID), engine.Holds("status", engine.ToolStatus),
				engine.Formed("tool_response", engine.ToolOutput, engine.AsResult)})}),
		Results: []engine.Result{{Fields: []engine.Field{engine.Holds("result_display", engine.ToolOutput),
			engine.Fixed("execution_status", `"success"`)}}},
		Rows: rows(contextRow(), engine.Row{Path: "decision", Set: engine.NoEffect},
			engine.Row{Path: "reason", Set: engine.Silent}),
		Lost: []string{"A plugin cannot end the turn after the tools: the turn goes on."},
	}}
}

// turnEvents are the events of the turn and of sub-agents.
func turnEvents() []engine.Event {
	tasks := []engine.Field{engine.Fixed("background_tasks", "[]"), engine.Fixed("crons", "[]")}
	prompt := engine.Optional("prompt_id", engine.PromptID)
	return []engine.Event{{
		Name: "Stop", Kind: engine.Stop, Timeout: commandLimit, Bridged: true,
		Fields: fields(slices.Concat([]engine.Field{prompt, engine.Holds("stop_hook_active", engine.StopActive),
			engine.Holds("last_assistant_message", engine.Response)}, tasks, engine.Theirs("context_usage", "context_limit",
			"input_tokens"))...),
		Rows: rows(append(block(), engine.Row{Path: "hookSpecificOutput.additionalContext", Set: engine.NoEffect})...),
		Lost: []string{"A plugin cannot end the turn at its stop if another plugin wants it to go on."},
	}, {
		Name: "StopFailure", Kind: engine.TurnFailed, Matches: engine.FailureKind, Timeout: commandLimit, Bridged: true,
		Fields: fields(prompt, engine.Holds("error", engine.FailureKind), engine.Optional("error_details", engine.Failure),
			engine.Optional("last_assistant_message", engine.Response)),
		Rows: rows(),
	}, {
		Name: "SubagentStart", Kind: engine.AgentStart, Matches: engine.AgentType, Timeout: commandLimit, Bridged: true,
		Fields: fields(prompt, engine.Holds("agent_type", engine.AgentType)), Rows: rows(contextRow()),
		Lost: []string{"A plugin cannot refuse or change a sub-agent here: use pre_tool, where it is the call of a tool."},
	}, {
		Name: "SubagentStop", Kind: engine.AgentStop, Matches: engine.AgentType, Timeout: commandLimit, Bridged: true,
		Fields: fields(slices.Concat([]engine.Field{prompt, engine.Fixed("stop_hook_active", "false"),
			engine.Holds("agent_type", engine.AgentType)}, engine.Theirs("agent_transcript_path"),
			[]engine.Field{engine.Holds("last_assistant_message", engine.Response)}, tasks)...),
		Rows: rows(append(block(), engine.Row{Path: "hookSpecificOutput.additionalContext", Set: engine.NoEffect})...),
	}, {
		Name: "MessageDisplay", Kind: engine.AfterResponse, Timeout: commandLimit,
		Fields: fields(prompt, engine.Optional("message_id", engine.PromptID),
			engine.Holds("displayed_text", engine.Response), engine.Fixed("is_final", "true")),
		Needs: []engine.Condition{engine.Is("is_final", "true")}, Rows: rows(),
	}}
}
