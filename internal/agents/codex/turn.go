package codex

import (
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// observed are the exit statuses of events at which a hook cannot block: only 0 has a meaning.
func observed() []engine.Exit {
	return []engine.Exit{{Status: "0", JSON: engine.JSONDecides, Then: engine.EndsOK}}
}

// turnEvents are the events about sessions and turns.
func turnEvents() []engine.Event {
	const limit = timeLimit
	return []engine.Event{
		{
			Name: "SessionStart", Kind: engine.SessionStart, Matches: engine.Source, Timeout: limit, Bridged: true,
			Exits: observed(),
			Fields: without(fields("SessionStart", engine.Holds("source", engine.Source)), "turn_id", "agent_id",
				"agent_type"),
			PlainText: engine.TextContext,
			Rows: append(specific("SessionStart", engine.Row{Path: "additionalContext", Set: engine.SetContext}),
				ends()...),
		},
		{
			Name: "UserPromptSubmit", Kind: engine.Prompt, Timeout: limit, Bridged: true,
			Fields:    fields("UserPromptSubmit", engine.Holds("prompt", engine.PromptText)),
			PlainText: engine.TextContext,
			Rows: append(specific("UserPromptSubmit", engine.Row{Path: "additionalContext", Set: engine.SetContext}),
				append(block(), ends()...)...),
			Lost: []string{"A plugin cannot change the prompt: Codex takes text beside it, or refuses it."},
		},
		{
			Name: "Stop", Kind: engine.Stop, Timeout: limit, Bridged: true,
			Fields: without(fields("Stop", engine.Usually("stop_hook_active", engine.StopActive, "false"),
				engine.Holds("last_assistant_message", engine.Response)), "agent_id", "agent_type"),
			PlainText: engine.TextFailed,
			Rows:      append(block(), ends()...),
			Lost:      []string{"Codex takes no context here.", "Codex does not limit how often a plugin makes it go on."},
		},
		{
			// With a longer limit, Codex says at each start that it shortens it.
			Name: "SessionEnd", Kind: engine.SessionEnd, Timeout: limit, Longest: 3 * time.Second, Bridged: true,
			Exits: observed(),
			Fields: without(fields("SessionEnd", engine.Holds("reason", engine.Reason)), "turn_id", "agent_id", "agent_type",
				"model", "permission_mode"),
			Rows: shown(),
		},
		{
			Name: "StopFailure", Kind: engine.TurnFailed, Timeout: limit, Exits: observed(),
			Fields: without(fields("StopFailure", engine.Holds("error", engine.Failure)), "agent_id", "agent_type"),
			Rows:   shown(),
			Lost:   []string{"The version of Codex that chibi knows does not have it, so chibi adds no entry for it."},
		},
		{
			Name: "Interrupt", Kind: engine.TurnInterrupted, Timeout: limit, Exits: observed(),
			Fields:    without(fields("Interrupt"), "agent_id", "agent_type"),
			PlainText: engine.TextFailed,
			Rows:      shown(),
			Lost:      []string{"The version of Codex that chibi knows does not have it, so chibi adds no entry for it."},
		},
	}
}

// agentEvents are the events about sub-agents and compactions.
func agentEvents() []engine.Event {
	const limit = timeLimit
	return []engine.Event{
		{
			Name: "SubagentStart", Kind: engine.AgentStart, Matches: engine.AgentType, Timeout: limit, Bridged: true,
			Exits: observed(),
			Fields: append(without(fields("SubagentStart"), "agent_id", "agent_type"), engine.Holds("agent_id", engine.AgentID),
				engine.Holds("agent_type", engine.AgentType)),
			PlainText: engine.TextContext,
			Rows: append(specific("SubagentStart", engine.Row{Path: "additionalContext", Set: engine.SetContext}),
				ends()...),
			Lost: []string{"A plugin cannot refuse a sub-agent or change its task, but it can guard its tools."},
		},
		{
			Name: "SubagentStop", Kind: engine.AgentStop, Matches: engine.AgentType, Timeout: limit, Bridged: true,
			Fields: []engine.Field{
				{Name: "session_id", Value: engine.Session}, {Name: "turn_id", Value: engine.PromptID},
				{Name: "transcript_path", Value: engine.Transcript}, {Name: "agent_transcript_path", Const: "null"},
				{Name: "cwd", Value: engine.Cwd}, {Name: "hook_event_name", Const: `"SubagentStop"`},
				{Name: "model", Value: engine.Model},
				{Name: "permission_mode", Value: engine.PermissionMode, Const: `"default"`},
				{Name: "stop_hook_active", Value: engine.StopActive, Const: "false"},
				{Name: "agent_id", Value: engine.AgentID}, {Name: "agent_type", Value: engine.AgentType},
				{Name: "last_assistant_message", Value: engine.Response},
			},
			PlainText: engine.TextFailed,
			Rows:      append(block(), ends()...),
			Lost:      []string{"A plugin cannot change the sub-agent's answer."},
		},
		{
			Name: "PreCompact", Kind: engine.BeforeCompact, Matches: engine.Trigger, Timeout: limit, Bridged: true,
			Exits:  observed(),
			Fields: without(fields("PreCompact", engine.Holds("trigger", engine.Trigger)), "permission_mode"),
			Rows:   ends(),
			Lost:   []string{"A plugin that refuses a compaction also ends the turn."},
		},
		{
			Name: "PostCompact", Kind: engine.AfterCompact, Matches: engine.Trigger, Timeout: limit, Bridged: true,
			Exits:  observed(),
			Fields: without(fields("PostCompact", engine.Holds("trigger", engine.Trigger)), "permission_mode"),
			Rows:   ends(),
			Lost:   []string{"Codex does not tell the summary."},
		},
	}
}

// block are the members of a decision beside the universal ones.
func block() []engine.Row {
	return []engine.Row{
		{Path: "decision", Is: `"block"`, Set: engine.SetDecision, To: "deny",
			Needs: []engine.Condition{engine.Has("reason")}},
		{Path: "reason", Set: engine.SetReason},
	}
}

// shown are the answers of events at which a hook can only show the person a text.
func shown() []engine.Row { return []engine.Row{{Path: "systemMessage", Set: engine.SetSystemMessage}} }
