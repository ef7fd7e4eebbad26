// Package copilot has the facts about GitHub Copilot CLI: its table and its settings files. testdata has payloads
// that the program wrote to its hooks, and how the table reads them.
package copilot

import (
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

const timeLimit = 30 * time.Second

// Agent is GitHub Copilot CLI. The spelling of an event's name says which payload a hook gets:
// preToolUse and PreToolUse are two events at the same moment.
func Agent() engine.Agent {
	return engine.Agent{Names: []string{"copilot", "copilot-cli", "github-copilot"}, Table: table, Starts: starts()}
}

func table() engine.Dialect {
	return engine.Dialect{
		Title:    "GitHub Copilot CLI",
		Facts:    engine.Facts{Driven: "1.0.102", Date: "2026-11-22", Read: "the vendor's documentation"},
		Sessions: engine.SessionFiles{Path: ".copilot/session-state/*/events.jsonl", Variable: "COPILOT_HOME", Nested: true},
		Places:   places(), Reads: reads(), Shape: shape(), Servers: servers(),
		Tools:         toolNames(),
		AbsolutePaths: true, MCPName: "%s-%s",
		Results: []engine.Result{{Fields: []engine.Field{
			{Name: "resultType", Const: `"success"`}, {Name: "textResultForLlm", Value: engine.ToolOutput},
		}}},
		Words: []engine.Word{
			{Value: engine.Source, Ours: "startup", Theirs: "new"},
			{Value: engine.Reason, Ours: "other", Theirs: "complete"}, {Value: engine.Reason, Ours: "exit", Theirs: "user_exit"},
			{Value: engine.Reason, Ours: "clear", Theirs: "user_exit"},
			{Value: engine.Reason, Ours: "interrupt", Theirs: "abort"},
		},
		Environment: []engine.Variable{
			{Name: "COPILOT_CLI", Const: "1"}, {Name: "COPILOT_CLI_BINARY_VERSION", Value: engine.AgentVersion},
			{Name: "COPILOT_PROJECT_DIR", Value: engine.Project}, {Name: "COPILOT_HOOK_DIR", Value: engine.HookDir},
			{Name: "CLAUDE_PROJECT_DIR", Value: engine.Project},
		},
		Shell:     []string{"bash", "-c"},
		PlainText: engine.TextIgnored,
		Matcher:   engine.MatcherRule{Whole: true, Lookaround: true},
		Exits: []engine.Exit{
			{Status: "0", JSON: engine.JSONDecides, Then: engine.EndsOK},
			{Status: "2", JSON: engine.JSONIgnored, Then: engine.EndsShown},
		},
		InTurn: true, Progress: true,
		MaxContinuations: 8,
		HasAsk:           true,
		Events: slices.Concat(toolEvents(), turnEvents(), agentEvents(),
			pascalToolEvents(), pascalTurnEvents(), pascalAgentEvents()),
	}
}

// toolNames is how Copilot names its tools.
func toolNames() toolnames.Table {
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

// fields are the fields of an event in camelCase; the fields of a sub-agent come last.
func fields(fields ...engine.Field) []engine.Field {
	return slices.Concat([]engine.Field{
		{Name: "sessionId", Value: engine.Session}, {Name: "timestamp", Value: engine.Time, Form: engine.AsMillis},
		{Name: "cwd", Value: engine.Cwd},
	}, fields, []engine.Field{
		{Name: "agentId", Value: engine.AgentID, Optional: true},
		{Name: "agentType", Value: engine.AgentType, Optional: true},
		{Name: "parentAgentId", Value: engine.ParentAgent, Optional: true},
	})
}

// contextRow is the member that adds text for the model.
func contextRow() engine.Row { return engine.Row{Path: "additionalContext", Set: engine.SetContext} }

// beforeTool are the members of an answer before a tool.
func beforeTool() []engine.Row {
	return append(engine.Decides("permissionDecision", "deny", "ask", "allow"),
		engine.Row{Path: "permissionDecisionReason", Set: engine.SetReason},
		engine.Row{Path: "modifiedArgs", Set: engine.SetInput},
		contextRow(),
	)
}

// nonZeroDenies are the exit statuses before a tool: all but 0 deny the call.
func nonZeroDenies() []engine.Exit {
	return []engine.Exit{
		{Status: "0", JSON: engine.JSONDecides, Then: engine.EndsOK},
		{Status: "2", JSON: engine.JSONBeside, Then: engine.EndsDenied, NoText: "hook exited with code 2"},
		{Status: engine.OtherStatus, JSON: engine.JSONIgnored, Then: engine.EndsDenied, NoText: "hook errored"},
		{Status: engine.NotStarted, JSON: engine.JSONIgnored, Then: engine.EndsDenied},
	}
}

// afterTool are the members of an answer after a tool, in both spellings.
func afterTool() []engine.Row {
	return append([]engine.Row{
		{Path: "modifiedResult.textResultForLlm", Set: engine.SetOutput,
			Needs: []engine.Condition{engine.Is("modifiedResult.resultType", `"success"`)},
			When:  []engine.Condition{engine.Is("modifiedResult.resultType", `"failure"`).Not()}},
		{Path: "modifiedResult.textResultForLlm", Set: engine.SetOutput,
			When:  []engine.Condition{engine.Is("modifiedResult.resultType", `"failure"`)},
			Reads: true},
		{Path: "modifiedResult.resultType", Set: engine.Silent},
		contextRow(),
		{Path: "continue", Is: "false", Set: engine.NoEffect},
	}, blocks()...)
}

// blocks are the members of a refusal.
func blocks() []engine.Row {
	return []engine.Row{
		{Path: "decision", Is: `"block"`, Set: engine.SetDecision, To: "deny"},
		{Path: "reason", Set: engine.SetReason},
	}
}

// stop are the members of an answer that makes a turn go on.
func stop() []engine.Row {
	return append(blocks(), engine.Row{Path: "additionalContext", Set: engine.NoEffect})
}

// promptRows are the members of an answer to a prompt.
func promptRows() []engine.Row {
	return append(blocks(), contextRow(), engine.Row{Path: "modifiedPrompt", Set: engine.SetPrompt})
}

// toolEvents are the events about tools in camelCase.
func toolEvents() []engine.Event {
	call := func(more ...engine.Field) []engine.Field {
		return fields(append([]engine.Field{
			{Name: "toolName", Value: engine.ToolName, Form: engine.AsTool},
			{Name: "toolArgs", Value: engine.ToolInput, Form: engine.AsInput},
		}, more...)...)
	}
	return []engine.Event{
		{
			Name: "preToolUse", Kind: engine.BeforeTool, Matches: engine.ToolName, Timeout: timeLimit, Bridged: true,
			Fields: call(), Rows: beforeTool(), Exits: nonZeroDenies(),
			Lost: []string{"A plugin that ends the turn refuses the call, and the turn goes on."},
		},
		permissionEvent("permissionRequest", true),
		{
			Name: "postToolUse", Kind: engine.ToolSucceeded, Matches: engine.ToolName, Timeout: timeLimit, Bridged: true,
			Fields: call(engine.Formed("toolResult", engine.ToolOutput, engine.AsResult)),
			Rows:   afterTool(), DenyReplaces: true,
			Lost: []string{"A command that ends with a status other than 0 also counts as a success.",
				"A plugin cannot end the turn here."},
		},
		{
			Name: "postToolUseFailure", Kind: engine.ToolFailed, Matches: engine.ToolName, Timeout: timeLimit, Bridged: true,
			Fields: call(engine.Holds("error", engine.ToolError)),
			Rows:   []engine.Row{contextRow()},
			Exits:  []engine.Exit{{Status: "2", JSON: engine.JSONIgnored, Then: engine.EndsContext}},
			Lost:   []string{"A plugin cannot replace the error."},
		},
	}
}

// permissionEvent is the event before a question to the person. Its payload is the same in both spellings.
func permissionEvent(name string, bridged bool) engine.Event {
	fields := append([]engine.Field{{Name: "hookName", Const: `"permissionRequest"`}}, fields(
		engine.Formed("toolName", engine.ToolName, engine.AsTool),
		engine.Formed("toolInput", engine.ToolInput, engine.AsInput),
		engine.Fixed("permissionSuggestions", "[]"))...)
	table := toolNames()
	for i, c := range table {
		if c.Category == tools.CategoryWrite || c.Category == tools.CategoryEdit {
			table[i].Name, table[i].Subject = "edit", toolnames.Arg("path", "file_path")
		}
	}
	return engine.Event{
		Name: name, Kind: engine.AskPermission, Matches: engine.ToolName, Timeout: timeLimit, Bridged: bridged,
		Fields: fields, Tools: table, MCPName: "%s/%s",
		Rows: append(engine.Decides("behavior", "deny", "allow"),
			engine.Row{Path: "message", Set: engine.SetReason},
			engine.Row{Path: "interrupt", Is: "true", Set: engine.SetHalt}),
		Exits: []engine.Exit{{Status: "2", JSON: engine.JSONBeside, Then: engine.EndsDenied}},
		Lost:  []string{"A plugin cannot change the arguments here."},
	}
}

// turnEvents are the other events in camelCase.
func turnEvents() []engine.Event {
	prompt := engine.Holds("prompt", engine.PromptText)
	return []engine.Event{
		{
			Name: "sessionStart", Kind: engine.SessionStart, Matches: engine.Source, Timeout: timeLimit, Bridged: true,
			Fields: fields(engine.Holds("source", engine.Source), engine.Optional("initialPrompt", engine.PromptText)),
			Rows:   []engine.Row{contextRow()},
		},
		{
			Name: "sessionEnd", Kind: engine.SessionEnd, Timeout: timeLimit, Bridged: true,
			Fields: fields(engine.Holds("reason", engine.Reason)),
		},
		{
			Name: "userPromptSubmitted", Kind: engine.Prompt, Timeout: timeLimit, Bridged: true,
			Fields: fields(prompt),
			Rows:   promptRows(),
			Lost: []string{
				"It also fires for the text by which agentStop made the turn go on, and for prompts of sub-agents.",
			},
		},
		{
			Name: "userPromptTransformed", Kind: engine.Prompt, Timeout: timeLimit,
			Fields: fields(prompt, engine.Holds("transformedPrompt", engine.PromptText)),
			Rows: []engine.Row{{Path: "modifiedTransformedPrompt", Set: engine.SetPrompt},
				{Path: "additionalContext", Set: engine.NoEffect}},
			Lost: []string{"chibi adds no entry for it: userPromptSubmitted takes more."},
		},
		{
			Name: "agentStop", Kind: engine.Stop, Timeout: timeLimit, Bridged: true,
			Fields: fields(append([]engine.Field{{Name: "transcriptPath", Value: engine.Transcript}}, ended()...)...),
			Rows:   stop(),
			Lost: []string{
				"Copilot CLI takes no context here, and goes on at most eight times in a turn.",
				"Copilot CLI does not tell the model's last text.",
			},
		},
		{
			Name: "errorOccurred", Kind: engine.TurnFailed, Timeout: timeLimit, Bridged: true,
			Fields: fields(engine.Fixed("errorContext", `"model_call"`), engine.Fixed("recoverable", "false"),
				engine.Holds("error.message", engine.Failure), engine.Fixed("error.name", `"Error"`),
				engine.Holds("error.stack", engine.Failure)),
		},
	}
}

// ended says how a turn has ended.
func ended() []engine.Field {
	return []engine.Field{
		{Name: "stopReason", Const: `"end_turn"`}, {Name: "stop_hook_active", Value: engine.StopActive, Const: "false"},
	}
}

// agentEvents are the events about sub-agents and compactions in camelCase.
func agentEvents() []engine.Event {
	transcript := engine.Holds("transcriptPath", engine.Transcript)
	return []engine.Event{
		{
			Name: "subagentStart", Kind: engine.AgentStart, Timeout: timeLimit, Bridged: true, Matches: engine.AgentType,
			Fields: fields(transcript, engine.Holds("agentName", engine.AgentType)),
			Rows:   []engine.Row{contextRow()},
			Lost:   []string{"A plugin cannot refuse a sub-agent or change its task."},
		},
		{
			Name: "subagentStop", Kind: engine.AgentStop, Timeout: timeLimit, Bridged: true, Matches: engine.AgentType,
			Fields: slices.Concat([]engine.Field{
				{Name: "sessionId", Value: engine.Session}, {Name: "timestamp", Value: engine.Time, Form: engine.AsMillis},
				{Name: "cwd", Value: engine.Cwd},
				transcript, {Name: "agentId", Value: engine.AgentID}, {Name: "agentType", Value: engine.AgentType},
				{Name: "agentName", Value: engine.AgentType}, {Name: "response", Value: engine.Response},
			}, ended(), []engine.Field{{Name: "parentAgentId", Value: engine.ParentAgent, Optional: true}}),
			Rows: append(stop(), engine.Row{Path: "modifiedResponse", Set: engine.NoEffect}),
			Lost: []string{"A plugin cannot change the sub-agent's answer."},
		},
		{
			Name: "preCompact", Kind: engine.BeforeCompact, Timeout: timeLimit, Bridged: true, Matches: engine.Trigger,
			Fields: fields(transcript, engine.Holds("trigger", engine.Trigger), engine.Usually("customInstructions",
				engine.Instructions, `""`)),
			Lost: []string{"A plugin cannot refuse a compaction."},
		},
		{
			Name: "notification", Kind: engine.Never, Timeout: timeLimit, Rows: []engine.Row{contextRow()},
			Fields: fields(engine.Field{Name: "message"}, engine.Field{Name: "title"},
				engine.Fixed("hook_event_name", `"Notification"`), engine.Field{Name: "notification_type"}),
		},
	}
}
