package engine

import (
	"slices"
	"time"

	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

const copilotLimit = 30 * time.Second

// copilot is GitHub Copilot CLI. The spelling of an event's name says which payload a hook gets:
// preToolUse and PreToolUse are two events at the same moment.
func copilot() Dialect {
	return Dialect{
		Name: "copilot", Aliases: []string{"copilot-cli", "github-copilot"}, Title: "GitHub Copilot CLI",
		Facts:  Facts{Driven: "1.0.102", Date: "2026-11-22", Read: "the vendor's documentation"},
		Places: copilotPlaces(), Shape: copilotShape(), Servers: copilotServers(),
		Tools:         copilotTools(),
		AbsolutePaths: true, MCPName: "%s-%s",
		Results: []Result{{Fields: []Field{
			{Name: "resultType", Const: `"success"`}, {Name: "textResultForLlm", Value: ToolOutput},
		}}},
		Words: []Word{
			{Value: Source, Ours: "startup", Theirs: "new"},
			{Value: Reason, Ours: "other", Theirs: "complete"}, {Value: Reason, Ours: "exit", Theirs: "user_exit"},
			{Value: Reason, Ours: "clear", Theirs: "user_exit"}, {Value: Reason, Ours: "interrupt", Theirs: "abort"},
		},
		Environment: []Variable{
			{Name: "COPILOT_CLI", Const: "1"}, {Name: "COPILOT_CLI_BINARY_VERSION", Value: AgentVersion},
			{Name: "COPILOT_PROJECT_DIR", Value: Project}, {Name: "COPILOT_HOOK_DIR", Value: HookDir},
			{Name: "CLAUDE_PROJECT_DIR", Value: Project},
		},
		Shell:     []string{"bash", "-c"},
		PlainText: TextIgnored,
		Matcher:   MatcherRule{Whole: true, Lookaround: true},
		Exits: []Exit{
			{Status: "0", JSON: "decides", Then: "ok"},
			{Status: "2", JSON: "ignored", Then: "shown"},
		},
		InTurn: true, Progress: true,
		MaxContinuations: 8,
		HasAsk:           true,
		Events: slices.Concat(copilotToolEvents(), copilotTurnEvents(), copilotAgentEvents(),
			copilotPascalToolEvents(), copilotPascalTurnEvents(), copilotPascalAgentEvents()),
	}
}

// copilotTools is how Copilot names its tools.
func copilotTools() toolnames.Table {
	arg := toolnames.Arg
	path := arg("path", "path")
	return toolnames.Table{
		{Category: tools.CategoryShell, Ours: "shell_exec", All: true, Name: "bash", Also: []string{"powershell"},
			Subject: arg("command", "command")},
		{Category: tools.CategoryRead, Ours: "read_file", All: true, Name: "view", Subject: path},
		{Category: tools.CategoryWrite, Ours: "write_file", All: true, Name: "create", Subject: path,
			Arguments: []toolnames.Argument{arg("content", "file_text")}},
		{Category: tools.CategoryEdit, Ours: "file_edit", All: true, Name: "edit",
			Also: []string{"str_replace_editor", "apply_patch"}, Subject: path,
			Arguments: []toolnames.Argument{arg("old_string", "old_str"), arg("new_string", "new_str")}},
		{Category: tools.CategorySearch, Ours: "glob_files", Name: "glob", Subject: path},
		{Category: tools.CategorySearch, Ours: "grep_files", Name: "grep", Also: []string{"rg"}, Subject: path},
		{Category: tools.CategoryFetch, Ours: "fetch_url", All: true, Name: "web_fetch", Subject: arg("url", "url")},
		{Category: tools.CategoryAgent, Ours: "spawn_agent", Name: "task",
			Arguments: []toolnames.Argument{arg("task", "prompt"), arg("agent", "agent_type")}},
	}
}

// copilotFields are the fields of an event in camelCase; those of a sub-agent come last.
func copilotFields(fields ...Field) []Field {
	return slices.Concat([]Field{
		{Name: "sessionId", Value: Session}, {Name: "timestamp", Value: Time, Form: AsMillis}, {Name: "cwd", Value: Cwd},
	}, fields, []Field{
		{Name: "agentId", Value: AgentID, Optional: true}, {Name: "agentType", Value: AgentType, Optional: true},
		{Name: "parentAgentId", Value: ParentAgent, Optional: true},
	})
}

// copilotContext is the member that adds text for the model.
func copilotContext() Row { return Row{Path: "additionalContext", Set: SetContext} }

// copilotBeforeTool are the members of an answer before a tool.
func copilotBeforeTool() []Row {
	return []Row{
		{Path: "permissionDecision", Is: `"deny"`, Set: SetDecision, To: "deny"},
		{Path: "permissionDecision", Is: `"ask"`, Set: SetDecision, To: "ask"},
		{Path: "permissionDecision", Is: `"allow"`, Set: SetDecision, To: "allow"},
		{Path: "permissionDecisionReason", Set: SetReason},
		{Path: "modifiedArgs", Set: SetInput},
		copilotContext(),
	}
}

// copilotNonZeroDenies are the exit statuses before a tool: all but 0 deny the call.
func copilotNonZeroDenies() []Exit {
	return []Exit{
		{Status: "0", JSON: "decides", Then: "ok"},
		{Status: "2", JSON: "beside", Then: "deny", NoText: "hook exited with code 2"},
		{Status: "other", JSON: "ignored", Then: "deny", NoText: "hook errored"},
		{Status: "start", JSON: "ignored", Then: "deny"},
	}
}

// copilotAfterTool are the members of an answer after a tool, in both spellings.
func copilotAfterTool() []Row {
	return append([]Row{
		{Path: "modifiedResult.textResultForLlm", Set: SetOutput, Needs: []string{`modifiedResult.resultType="success"`},
			When: []string{`!modifiedResult.resultType="failure"`}},
		{Path: "modifiedResult.textResultForLlm", Set: SetOutput, When: []string{`modifiedResult.resultType="failure"`},
			Reads: true},
		{Path: "modifiedResult.resultType", Set: Silent},
		copilotContext(),
		{Path: "continue", Is: "false", Set: NoEffect},
	}, copilotBlocks()...)
}

// copilotBlocks are the members of a refusal.
func copilotBlocks() []Row {
	return []Row{
		{Path: "decision", Is: `"block"`, Set: SetDecision, To: "deny"},
		{Path: "reason", Set: SetReason},
	}
}

// copilotStop are the members of an answer that makes a turn go on.
func copilotStop() []Row {
	return append(copilotBlocks(), Row{Path: "additionalContext", Set: NoEffect})
}

// copilotPrompt are the members of an answer to a prompt.
func copilotPrompt() []Row {
	return append(copilotBlocks(), copilotContext(), Row{Path: "modifiedPrompt", Set: SetPrompt})
}

// copilotToolEvents are the events about tools in camelCase.
func copilotToolEvents() []Event {
	call := func(more ...Field) []Field {
		return copilotFields(append([]Field{
			{Name: "toolName", Value: ToolName, Form: AsTool}, {Name: "toolArgs", Value: ToolInput, Form: AsInput},
		}, more...)...)
	}
	return []Event{
		{
			Name: "preToolUse", Kind: BeforeTool, Matches: ToolName, Timeout: copilotLimit, Bridged: true,
			Fields: call(), Rows: copilotBeforeTool(), Exits: copilotNonZeroDenies(),
			Lost: []string{"an end of the turn is a denial of the call; the turn goes on"},
		},
		copilotPermission("permissionRequest", true),
		{
			Name: "postToolUse", Kind: ToolSucceeded, Matches: ToolName, Timeout: copilotLimit, Bridged: true,
			Fields: call(Field{Name: "toolResult", Value: ToolOutput, Form: AsResult}),
			Rows:   copilotAfterTool(), DenyReplaces: true,
			Lost: []string{"a command that ends with another status than 0 has succeeded there", "the turn cannot be ended"},
		},
		{
			Name: "postToolUseFailure", Kind: ToolFailed, Matches: ToolName, Timeout: copilotLimit, Bridged: true,
			Fields: call(Field{Name: "error", Value: ToolError}),
			Rows:   []Row{copilotContext()},
			Exits:  []Exit{{Status: "2", JSON: "ignored", Then: "context"}},
			Lost:   []string{"the error cannot be replaced"},
		},
	}
}

// copilotPermission is the event before the person is asked; its payload is the same in both
// spellings.
func copilotPermission(name string, bridged bool) Event {
	fields := append([]Field{{Name: "hookName", Const: `"permissionRequest"`}}, copilotFields(
		Field{Name: "toolName", Value: ToolName, Form: AsTool}, Field{Name: "toolInput", Value: ToolInput, Form: AsInput},
		Field{Name: "permissionSuggestions", Const: "[]"})...)
	table := copilotTools()
	for i, c := range table {
		if c.Category == tools.CategoryWrite || c.Category == tools.CategoryEdit {
			table[i].Name, table[i].Subject = "edit", toolnames.Arg("path", "file_path")
		}
	}
	return Event{
		Name: name, Kind: AskPermission, Matches: ToolName, Timeout: copilotLimit, Bridged: bridged,
		Fields: fields, Tools: table, MCPName: "%s/%s",
		Rows: []Row{
			{Path: "behavior", Is: `"deny"`, Set: SetDecision, To: "deny"},
			{Path: "behavior", Is: `"allow"`, Set: SetDecision, To: "allow"},
			{Path: "message", Set: SetReason},
			{Path: "interrupt", Is: "true", Set: SetHalt},
		},
		Exits: []Exit{{Status: "2", JSON: "beside", Then: "deny"}},
		Lost:  []string{"arguments cannot be rewritten"},
	}
}

// copilotTurnEvents are the other events in camelCase.
func copilotTurnEvents() []Event {
	prompt := Field{Name: "prompt", Value: PromptText}
	return []Event{
		{
			Name: "sessionStart", Kind: SessionStart, Matches: Source, Timeout: copilotLimit, Bridged: true,
			Fields: copilotFields(Field{Name: "source", Value: Source},
				Field{Name: "initialPrompt", Value: PromptText, Optional: true}),
			Rows: []Row{copilotContext()},
		},
		{
			Name: "sessionEnd", Kind: SessionEnd, Timeout: copilotLimit, Bridged: true,
			Fields: copilotFields(Field{Name: "reason", Value: Reason}),
		},
		{
			Name: "userPromptSubmitted", Kind: Prompt, Timeout: copilotLimit, Bridged: true,
			Fields: copilotFields(prompt),
			Rows:   copilotPrompt(),
			Lost: []string{
				"it also fires for the text by which agentStop made the turn go on, and for prompts of sub-agents",
			},
		},
		{
			Name: "userPromptTransformed", Kind: Prompt, Timeout: copilotLimit,
			Fields: copilotFields(prompt, Field{Name: "transformedPrompt", Value: PromptText}),
			Rows: []Row{{Path: "modifiedTransformedPrompt", Set: SetPrompt},
				{Path: "additionalContext", Set: NoEffect}},
			Lost: []string{"nothing is added for it: userPromptSubmitted takes more"},
		},
		{
			Name: "agentStop", Kind: Stop, Timeout: copilotLimit, Bridged: true,
			Fields: copilotFields(append([]Field{{Name: "transcriptPath", Value: Transcript}}, copilotEnded()...)...),
			Rows:   copilotStop(),
			Lost: []string{
				"context is not taken here, and the turn is continued at most eight times",
				"it does not tell the model's last text",
			},
		},
		{
			Name: "errorOccurred", Kind: TurnFailed, Timeout: copilotLimit, Bridged: true,
			Fields: copilotFields(Field{Name: "errorContext", Const: `"model_call"`}, Field{Name: "recoverable", Const: "false"},
				Field{Name: "error.message", Value: Failure}, Field{Name: "error.name", Const: `"Error"`},
				Field{Name: "error.stack", Value: Failure}),
		},
	}
}

// copilotEnded says how a turn has ended.
func copilotEnded() []Field {
	return []Field{
		{Name: "stopReason", Const: `"end_turn"`}, {Name: "stop_hook_active", Value: StopActive, Const: "false"},
	}
}

// copilotAgentEvents are the events about sub-agents and compactions in camelCase.
func copilotAgentEvents() []Event {
	transcript := Field{Name: "transcriptPath", Value: Transcript}
	return []Event{
		{
			Name: "subagentStart", Kind: AgentStart, Timeout: copilotLimit, Bridged: true, Matches: AgentType,
			Fields: copilotFields(transcript, Field{Name: "agentName", Value: AgentType}),
			Rows:   []Row{copilotContext()},
			Lost:   []string{"a sub-agent cannot be refused or get another task"},
		},
		{
			Name: "subagentStop", Kind: AgentStop, Timeout: copilotLimit, Bridged: true, Matches: AgentType,
			Fields: slices.Concat([]Field{
				{Name: "sessionId", Value: Session}, {Name: "timestamp", Value: Time, Form: AsMillis}, {Name: "cwd", Value: Cwd},
				transcript, {Name: "agentId", Value: AgentID}, {Name: "agentType", Value: AgentType},
				{Name: "agentName", Value: AgentType}, {Name: "response", Value: Response},
			}, copilotEnded(), []Field{{Name: "parentAgentId", Value: ParentAgent, Optional: true}}),
			Rows: append(copilotStop(), Row{Path: "modifiedResponse", Set: NoEffect}),
			Lost: []string{"what the sub-agent answers is not rewritten"},
		},
		{
			Name: "preCompact", Kind: BeforeCompact, Timeout: copilotLimit, Bridged: true, Matches: Trigger,
			Fields: copilotFields(transcript, Field{Name: "trigger", Value: Trigger},
				Field{Name: "customInstructions", Value: Instructions, Const: `""`}),
			Lost: []string{"a compaction cannot be blocked"},
		},
		{
			Name: "notification", Kind: Never, Timeout: copilotLimit, Rows: []Row{copilotContext()},
			Fields: copilotFields(Field{Name: "message"}, Field{Name: "title"},
				Field{Name: "hook_event_name", Const: `"Notification"`}, Field{Name: "notification_type"}),
		},
	}
}
