package engine

import "time"

// codexObserved are the exit statuses where nothing can be blocked: only 0 has a meaning.
func codexObserved() []Exit {
	return []Exit{{Status: "0", JSON: "decides", Then: "ok"}}
}

// codexTurnEvents are the events about sessions and turns.
func codexTurnEvents() []Event {
	const limit = codexLimit
	return []Event{
		{
			Name: "SessionStart", Kind: SessionStart, Matches: Source, Timeout: limit, Bridged: true,
			Exits: codexObserved(),
			Fields: without(codexFields("SessionStart", Field{Name: "source", Value: Source}),
				"turn_id", "agent_id", "agent_type"),
			PlainText: TextContext,
			Rows: append(codexSpecific("SessionStart", Row{Path: "additionalContext", Set: SetContext}),
				codexEnds()...),
		},
		{
			Name: "UserPromptSubmit", Kind: Prompt, Timeout: limit, Bridged: true,
			Fields:    codexFields("UserPromptSubmit", Field{Name: "prompt", Value: PromptText}),
			PlainText: TextContext,
			Rows: append(codexSpecific("UserPromptSubmit", Row{Path: "additionalContext", Set: SetContext}),
				append(codexBlock(), codexEnds()...)...),
			Lost: []string{"the prompt cannot be rewritten"},
		},
		{
			Name: "Stop", Kind: Stop, Timeout: limit, Bridged: true,
			Fields: without(codexFields("Stop", Field{Name: "stop_hook_active", Value: StopActive, Const: "false"},
				Field{Name: "last_assistant_message", Value: Response}), "agent_id", "agent_type"),
			PlainText: TextFailed,
			Rows:      append(codexBlock(), codexEnds()...),
			Lost:      []string{"context is not taken here", "Codex has no bound on how often the turn is continued"},
		},
		{
			// With a longer limit, Codex says at each start that it shortens it.
			Name: "SessionEnd", Kind: SessionEnd, Timeout: limit, Longest: 3 * time.Second, Bridged: true,
			Exits: codexObserved(),
			Fields: without(codexFields("SessionEnd", Field{Name: "reason", Value: Reason}),
				"turn_id", "agent_id", "agent_type", "model", "permission_mode"),
			Rows: codexShown(),
		},
		{
			Name: "StopFailure", Kind: TurnFailed, Timeout: limit, Exits: codexObserved(),
			Fields: without(codexFields("StopFailure", Field{Name: "error", Value: Failure}), "agent_id", "agent_type"),
			Rows:   codexShown(),
			Lost:   []string{"it is not in the version that was driven, so nothing is added for it"},
		},
		{
			Name: "Interrupt", Kind: TurnInterrupted, Timeout: limit, Exits: codexObserved(),
			Fields:    without(codexFields("Interrupt"), "agent_id", "agent_type"),
			PlainText: TextFailed,
			Rows:      codexShown(),
			Lost:      []string{"it is not in the version that was driven, so nothing is added for it"},
		},
	}
}

// codexAgentEvents are the events about sub-agents and compactions.
func codexAgentEvents() []Event {
	const limit = codexLimit
	return []Event{
		{
			Name: "SubagentStart", Kind: AgentStart, Matches: AgentType, Timeout: limit, Bridged: true, Exits: codexObserved(),
			Fields: append(without(codexFields("SubagentStart"), "agent_id", "agent_type"),
				Field{Name: "agent_id", Value: AgentID}, Field{Name: "agent_type", Value: AgentType}),
			PlainText: TextContext,
			Rows: append(codexSpecific("SubagentStart", Row{Path: "additionalContext", Set: SetContext}),
				codexEnds()...),
			Lost: []string{"a sub-agent cannot be refused or get another task; its tools can be guarded"},
		},
		{
			Name: "SubagentStop", Kind: AgentStop, Matches: AgentType, Timeout: limit, Bridged: true,
			Fields: []Field{
				{Name: "session_id", Value: Session}, {Name: "turn_id", Value: PromptID},
				{Name: "transcript_path", Value: Transcript}, {Name: "agent_transcript_path", Const: "null"},
				{Name: "cwd", Value: Cwd}, {Name: "hook_event_name", Const: `"SubagentStop"`}, {Name: "model", Value: Model},
				{Name: "permission_mode", Value: PermissionMode, Const: `"default"`},
				{Name: "stop_hook_active", Value: StopActive, Const: "false"},
				{Name: "agent_id", Value: AgentID}, {Name: "agent_type", Value: AgentType},
				{Name: "last_assistant_message", Value: Response},
			},
			PlainText: TextFailed,
			Rows:      append(codexBlock(), codexEnds()...),
			Lost:      []string{"what the sub-agent answers cannot be rewritten"},
		},
		{
			Name: "PreCompact", Kind: BeforeCompact, Matches: Trigger, Timeout: limit, Bridged: true, Exits: codexObserved(),
			Fields: without(codexFields("PreCompact", Field{Name: "trigger", Value: Trigger}), "permission_mode"),
			Rows:   codexEnds(),
			Lost:   []string{"a compaction that is blocked ends the turn as well"},
		},
		{
			Name: "PostCompact", Kind: AfterCompact, Matches: Trigger, Timeout: limit, Bridged: true, Exits: codexObserved(),
			Fields: without(codexFields("PostCompact", Field{Name: "trigger", Value: Trigger}), "permission_mode"),
			Rows:   codexEnds(),
			Lost:   []string{"it does not tell the summary"},
		},
	}
}

// codexBlock are the members of a decision beside the universal ones.
func codexBlock() []Row {
	return []Row{
		{Path: "decision", Is: `"block"`, Set: SetDecision, To: "deny", Needs: []string{"reason"}},
		{Path: "reason", Set: SetReason},
	}
}

// codexShown are the answers of events that nothing can be said about.
func codexShown() []Row { return []Row{{Path: "systemMessage", Set: SetSystemMessage}} }
