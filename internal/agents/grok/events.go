package grok

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// events are Grok Build's events.
func events() []engine.Event {
	return slices.Concat(sessionEvents(), toolEvents(), turnEvents(), engine.Unfired("PermissionDenied", "Notification"))
}

// The time limits of commands. A command for which Grok Build waits may run tests.
const (
	timeLimit   = 5 * time.Second
	promptLimit = 30 * time.Second
	gateLimit   = 600 * time.Second
)

// snake is Grok Build's own spelling of an event.
func snake(name string) string {
	var text strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			text.WriteByte('_')
		}
		text.WriteRune(unicode.ToLower(r))
	}
	return text.String()
}

// fields are the members of a payload: all in Grok Build's own spelling, then some in Claude Code's. own are the
// event's members in the first spelling, theirs in the second.
func fields(event string, own []engine.Field, theirs ...engine.Field) []engine.Field {
	return slices.Concat([]engine.Field{
		engine.Fixed("hookEventName", `"`+snake(event)+`"`), engine.Holds("sessionId", engine.Session),
		engine.Holds("cwd", engine.Cwd), engine.Holds("workspaceRoot", engine.Project),
		engine.Holds("timestamp", engine.Time),
		engine.Optional("transcriptPath", engine.Transcript), engine.Optional("promptId", engine.PromptID),
		engine.Holds("permissionMode", engine.PermissionMode),
	}, own, []engine.Field{
		engine.Fixed("hook_event_name", `"`+event+`"`), engine.Holds("session_id", engine.Session),
		engine.Optional("transcript_path", engine.Transcript), engine.Holds("permission_mode", engine.PermissionMode),
	}, theirs)
}

// quiet are the members of an answer at an event whose answers have no effect.
func quiet() []engine.Row {
	return noEffect("decision", "reason", "stopReason", "systemMessage",
		"hookSpecificOutput.additionalContext")
}

// noEffect are members of an answer that do nothing.
func noEffect(paths ...string) (rows []engine.Row) {
	for _, path := range paths {
		rows = append(rows, engine.Row{Path: path, Set: engine.NoEffect})
	}
	return append(rows, engine.Row{Path: "continue", Is: "false", Set: engine.NoEffect},
		engine.Row{Path: "continue", Is: "true", Set: engine.Silent},
		engine.Row{Path: "hookSpecificOutput.hookEventName", Set: engine.Silent},
		engine.Row{Path: "suppressOutput", Set: engine.Silent})
}

// observed are the exit statuses of events at which a hook cannot refuse.
func observed() []engine.Exit {
	return []engine.Exit{{Status: "2", JSON: engine.JSONIgnored, Then: engine.EndsFailed}}
}

// block is a denial at events other than a tool call.
func block() []engine.Row {
	return []engine.Row{{Path: "decision", Is: `"block"`, Set: engine.SetDecision, To: "deny"},
		{Path: "decision", Set: engine.NoEffect, When: []engine.Condition{engine.Is("decision", `"block"`).Not()}},
		{Path: "reason", Set: engine.SetReason}}
}

func contextRow() engine.Row {
	return engine.Row{Path: "hookSpecificOutput.additionalContext", Set: engine.SetContext}
}

// notInSubAgent is the condition of events that sub-agents' own sessions also have.
func notInSubAgent() []engine.Condition {
	return []engine.Condition{engine.Has("subagentType").Not()}
}

// sessionEvents are the events of sessions, prompts and compactions.
func sessionEvents() []engine.Event {
	inside := engine.Optional("subagentType", engine.AgentType)
	return []engine.Event{{
		Name: "SessionStart", Kind: engine.SessionStart, Matches: engine.Source, Timeout: timeLimit, Bridged: true,
		Fields: fields("SessionStart", []engine.Field{engine.Holds("source", engine.Source)}),
		Rows:   quiet(), Exits: observed(),
		Lost: []string{"Grok Build ignores a context given at the start of a session: texts of plugins for the system " +
			"prompt are lost."},
	}, {
		Name: "UserPromptSubmit", Kind: engine.Prompt, Timeout: promptLimit, Bridged: true, Needs: notInSubAgent(),
		Fields: fields("UserPromptSubmit", []engine.Field{engine.Holds("prompt", engine.PromptText), inside}),
		Rows: append(block(), noEffect("stopReason", "systemMessage",
			"hookSpecificOutput.additionalContext")...),
		Lost: []string{"Grok Build ignores a context beside the prompt.",
			"A plugin cannot change the prompt: Grok Build sends it, or refuses it.",
			"A plugin cannot refuse a sub-agent's prompt: Grok Build still sends it."},
	}, {
		Name: "PreCompact", Kind: engine.BeforeCompact, Matches: engine.Trigger, Timeout: timeLimit, Bridged: true,
		Fields: fields("PreCompact", []engine.Field{engine.Holds("source", engine.Trigger)}),
		Rows:   quiet(), Exits: observed(),
		Lost: []string{"A plugin cannot refuse a compaction, or give the summary itself."},
	}, {
		Name: "PostCompact", Kind: engine.AfterCompact, Matches: engine.Trigger, Timeout: timeLimit, Bridged: true,
		Fields: fields("PostCompact", []engine.Field{engine.Holds("source", engine.Trigger)}),
		Rows:   quiet(), Exits: observed(),
	}, {
		Name: "SessionEnd", Kind: engine.SessionEnd, Matches: engine.Reason, Timeout: timeLimit, Bridged: true,
		Fields: fields("SessionEnd", []engine.Field{engine.Holds("reason", engine.Reason), inside}),
		Needs:  notInSubAgent(), Rows: quiet(), Exits: observed(),
	}}
}

// toolEvents are the events of tool calls.
func toolEvents() []engine.Event {
	call := []engine.Field{engine.Formed("toolName", engine.ToolName, engine.AsTool),
		engine.Holds("toolUseId", engine.CallID), engine.Formed("toolInput", engine.ToolInput, engine.AsInput)}
	cut := engine.Fixed("toolInputTruncated", "false")
	again := []engine.Field{engine.Formed("tool_name", engine.ToolName, engine.AsTool),
		engine.Formed("tool_input", engine.ToolInput, engine.AsInput)}
	id := engine.Holds("tool_use_id", engine.CallID)
	took := []engine.Field{engine.Holds("durationMs", engine.Duration)}
	result := func(name string) engine.Field { return engine.Formed(name, engine.ToolOutput, engine.AsResult) }
	return []engine.Event{{
		Name: "PreToolUse", Kind: engine.BeforeTool, Matches: engine.ToolName, Timeout: timeLimit, Bridged: true,
		Fields: fields("PreToolUse", append(call, cut), append(again, id)...),
		Rows:   beforeTool(),
		Lost: []string{"A plugin that ends the turn refuses the call, and the turn goes on.",
			"A question becomes a denial where Grok Build approves all calls (--always-approve).",
			"Plugins see only the beginning of arguments of more than 64 KiB: required plugins deny such a call.",
			"Grok Build does not show a text for the person."},
	}, {
		Name: "PostToolUse", Kind: engine.AfterTool, Matches: engine.ToolName,
		Timeout: gateLimit, Bridged: true,
		Fields: fields("PostToolUse", slices.Concat(call, []engine.Field{result("toolResult"), cut,
			engine.Fixed("toolResultTruncated", "false")}, took, []engine.Field{engine.Fixed("isBackgrounded", "false")}),
			append(again, result("tool_response"), id, engine.Holds("duration_ms", engine.Duration))...),
		Rows: slices.Concat(block(), []engine.Row{contextRow(),
			{Path: "hookSpecificOutput.updatedMCPToolOutput", Set: engine.SetOutput, Categories: engine.MCPTools()},
			{Path: "hookSpecificOutput.updatedToolOutput", Set: engine.SetOutput, Form: engine.AsResult}},
			noEffect("stopReason", "systemMessage")),
		Lost: []string{"A plugin can replace the result of commands, reads, writes, edits, lists and MCP servers' tools, " +
			"not the results of other tools.", "A plugin cannot end the turn after a tool: the turn goes on."},
	}, {
		Name: "PostToolUseFailure", Kind: engine.ToolFailed, Matches: engine.ToolName, Timeout: timeLimit, Bridged: true,
		Fields: fields("PostToolUseFailure", slices.Concat(call, []engine.Field{cut, engine.Holds("error", engine.ToolError)},
			took, []engine.Field{engine.Fixed("isInterrupt", "false")}),
			append(again, id, engine.Holds("duration_ms", engine.Duration), engine.Fixed("is_interrupt", "false"))...),
		Rows:  append([]engine.Row{contextRow()}, noEffect("decision", "reason", "stopReason", "systemMessage")...),
		Exits: observed(),
		Lost:  []string{"A plugin cannot replace the error of a call that did not happen: its text stands beside it."},
	}}
}

// beforeTool are the members of an answer before a tool. An "allow" approves nothing: it says that the hook does
// not object.
func beforeTool() []engine.Row {
	permission := "hookSpecificOutput.permissionDecision"
	verdicts := func(path string, when ...engine.Condition) []engine.Row {
		other := slices.Clone(when)
		for _, known := range []string{`"deny"`, `"block"`, `"ask"`, `"allow"`, `"approve"`, `"defer"`} {
			other = append(other, engine.Is(path, known).Not())
		}
		return []engine.Row{
			{Path: path, Is: `"deny"`, Set: engine.SetDecision, To: "deny", When: when},
			{Path: path, Is: `"block"`, Set: engine.SetDecision, To: "deny", When: when},
			{Path: path, Is: `"ask"`, Set: engine.SetDecision, To: "ask", When: when},
			{Path: path, Set: engine.Invalid, When: other},
		}
	}
	return slices.Concat(verdicts(permission), []engine.Row{{Path: permission + "Reason", Set: engine.SetReason}},
		verdicts("decision", engine.Has(permission).Not()), []engine.Row{{Path: "reason", Set: engine.SetReason},
			{Path: "hookSpecificOutput.updatedInput", Set: engine.SetInput}, contextRow()},
		noEffect("stopReason", "systemMessage"))
}

// turnEvents are the events of the turn and of sub-agents.
func turnEvents() []engine.Event {
	last := engine.Optional("lastAssistantMessage", engine.Response)
	inside := engine.Optional("subagentType", engine.AgentType)
	gate := func() []engine.Row {
		return append(block(), contextRow(), engine.Row{Path: "continue", Is: "false", Set: engine.SetHalt},
			engine.Row{Path: "continue", Set: engine.Silent}, engine.Row{Path: "stopReason", Set: engine.SetHaltReason},
			engine.Row{Path: "systemMessage", Set: engine.NoEffect},
			engine.Row{Path: "hookSpecificOutput.hookEventName", Set: engine.Silent})
	}
	// JSON on standard output wins over the exit status here.
	exits := []engine.Exit{{Status: "0", JSON: engine.JSONDecides, Then: engine.EndsOK},
		{Status: "2", JSON: engine.JSONDecides, Then: engine.EndsDenied},
		{Status: engine.OtherStatus, JSON: engine.JSONDecides, Then: engine.EndsFailed}}
	return []engine.Event{{
		Name: "Stop", Kind: engine.Stop, Timeout: gateLimit, Bridged: true, Exits: exits,
		Needs: []engine.Condition{engine.Is("reason", `"end_turn"`)}, // it also fires when the session ends
		Fields: fields("Stop", []engine.Field{engine.Fixed("reason", `"end_turn"`),
			engine.Holds("stopHookActive", engine.StopActive), last, engine.Fixed("backgroundTasks", "[]"),
			engine.Fixed("sessionCrons", "[]")}),
		Rows: gate(),
	}, {
		Name: "StopFailure", Kind: engine.TurnFailed, Matches: engine.FailureKind, Timeout: timeLimit, Bridged: true,
		Fields: fields("StopFailure", []engine.Field{engine.Holds("error", engine.FailureKind),
			engine.Optional("errorDetails", engine.Failure), last, inside}),
		Rows: quiet(), Exits: observed(),
	}, {
		Name: "StopCancelled", Kind: engine.TurnInterrupted, Matches: engine.FailureKind, Timeout: timeLimit, Bridged: true,
		Fields: fields("StopCancelled", slices.Concat([]engine.Field{engine.Holds("reason", engine.FailureKind),
			engine.Fixed("cancelledBy", `"user"`)}, engine.Theirs("cancelTrigger"),
			[]engine.Field{engine.Optional("reasonDetails", engine.Failure), last, inside})),
		Rows: quiet(), Exits: observed(),
	}, {
		Name: "SubagentStart", Kind: engine.AgentStart, Matches: engine.AgentType, Timeout: timeLimit, Bridged: true,
		Fields: fields("SubagentStart", []engine.Field{engine.Holds("subagentId", engine.AgentID),
			engine.Holds("subagentType", engine.AgentType), engine.Holds("description", engine.Task)}),
		Rows: quiet(), Exits: observed(),
		Lost: []string{"A plugin cannot refuse or change a sub-agent here: use pre_tool, where it is the call of a tool."},
	}, {
		Name: "SubagentStop", Aliases: []string{"SubagentEnd"}, Kind: engine.AgentStop, Matches: engine.AgentType,
		Timeout: gateLimit, Bridged: true, Exits: exits,
		Fields: fields("SubagentStop", []engine.Field{engine.Fixed("phase", `"gate"`),
			engine.Holds("subagentId", engine.AgentID), engine.Holds("subagentType", engine.AgentType),
			engine.Fixed("stopHookActive", "false"), last}),
		Rows: gate(),
	}}
}
