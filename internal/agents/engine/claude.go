package engine

import (
	"slices"
	"strings"
	"time"
)

// claude is Claude Code.
func claude() Dialect {
	return Dialect{
		Name: "claude", Aliases: []string{"claude-code"}, Title: "Claude Code",
		Facts:  Facts{Driven: "2.1.330", Date: "2026-11-22", Read: "the vendor's documentation of 2026-08-22"},
		Places: claudePlaces(), Shape: claudeShape(), Events: claudeEvents(), Servers: claudeServers(),
		Matcher: MatcherRule{Names: "_- ", Separators: ",|", Lookaround: true},
		Tools:   claudeTools(), AbsolutePaths: true, MCPName: "mcp__%s__%s", Results: claudeResults(),
		Words: Words{
			{PermissionMode, "trusted", "bypassPermissions"},
			{Reason, "other", "other"}, {Reason, "exit", "prompt_input_exit"}, {Reason, "error", "other"},
			{Reason, "interrupt", "other"},
			{FailureKind, "error", "unknown"},
		},
		Environment: claudeEnvironment(),
		Shell:       []string{"sh", "-c"}, Newline: true, Dedup: "command", MaxContinuations: 8, HasAsk: true,
		Typed: true, PlainText: TextIgnored, NoReason: "Blocked by hook",
		Exits: []Exit{
			{Status: "0", JSON: "decides", Then: "ok"},
			{Status: "2", JSON: "beside", Then: "deny", NoText: "No stderr output"},
			{Status: "other", JSON: "decides", Then: "failed"},
		},
	}
}

// claudeFields are the members of every payload, then those of one event. has names those
// that only some events have: "mode" and "effort".
func claudeFields(has string, own ...Field) []Field {
	list := []Field{field("session_id", Session), field("transcript_path", Transcript), field("cwd", Cwd)}
	if strings.Contains(has, "start") { // no prompt has been sent then
		list = append(list, Field{Name: "prompt_id", Value: PromptID, Reads: true, Optional: true})
	} else {
		list = append(list, optional("prompt_id", PromptID))
	}
	if strings.Contains(has, "mode") {
		list = append(list, optional("permission_mode", PermissionMode))
	}
	list = append(list, optional("agent_id", AgentID), optional("agent_type", AgentType))
	if strings.Contains(has, "effort") {
		list = append(list, optional("effort.level", Effort))
	}
	return slices.Concat(list, []Field{field("hook_event_name", EventName)}, own)
}

// claudeRows are the members of an answer at an event: its own, and those of all events. What is
// in hookSpecificOutput counts only beside the event's name.
func claudeRows(event string, own ...Row) []Row {
	name := `hookSpecificOutput.hookEventName="` + event + `"`
	rows := append([]Row{{Path: "hookSpecificOutput", Set: Silent, Needs: []string{name}}}, own...)
	return append(rows,
		Row{Path: "continue", Is: "false", Set: SetHalt}, Row{Path: "continue", Set: Silent},
		Row{Path: "stopReason", Set: SetHaltReason},
		Row{Path: "systemMessage", Set: SetSystemMessage},
		Row{Path: "suppressOutput", Set: Silent},
		Row{Path: "terminalSequence", Set: NoEffect},
	)
}

// claudeQuiet are the members of an answer at an event whose answers decide nothing.
func claudeQuiet() []Row {
	return []Row{
		{Path: "systemMessage", Set: SetSystemMessage},
		{Path: "continue", Is: "false", Set: NoEffect}, {Path: "continue", Set: Silent},
		{Path: "suppressOutput", Set: Silent},
		{Path: "decision", Set: NoEffect}, {Path: "reason", Set: Silent}, {Path: "stopReason", Set: NoEffect},
	}
}

// Rows that several events have.
func claudeContext() Row { return Row{Path: "hookSpecificOutput.additionalContext", Set: SetContext} }

func claudeBlock() []Row {
	return []Row{
		{Path: "decision", Is: `"block"`, Set: SetDecision, To: "deny"},
		{Path: "decision", Is: `"approve"`, Set: Silent},
		{Path: "reason", Set: SetReason},
	}
}

// claudeCommands is how long a command may take at most events.
const claudeCommands = 600 * time.Second

// claudeCannotBlock are the exit statuses of events at which nothing can be blocked.
func claudeCannotBlock() []Exit { return []Exit{{Status: "2", JSON: "decides", Then: "failed"}} }

// claudeEnvironment are the variables of hooks. Those without a value only Claude Code can
// set.
func claudeEnvironment() []Variable {
	withEffort := []string{"PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Stop",
		"StopFailure", "SubagentStop"}
	return []Variable{
		{Name: "CLAUDE_PROJECT_DIR", Value: Project},
		{Name: "CLAUDECODE", Const: "1"},
		{Name: "CLAUDE_CODE_ENTRYPOINT", Value: Mode,
			Words: Words{{Mode, "chat", "cli"}, {Mode, "run", "sdk-cli"}}},
		{Name: "CLAUDE_CODE_SESSION_ID", Value: Session},
		{Name: "CLAUDE_CODE_SESSION_ATTENDED", Value: Mode,
			Words: Words{{Mode, "chat", "1"}, {Mode, "run", "0"}}},
		{Name: "CLAUDE_CODE_CHILD_SESSION", Const: "1"},
		{Name: "CLAUDE_EFFORT", Value: Effort, Events: withEffort},
		{Name: "CLAUDE_ENV_FILE", Value: EnvFile, Events: []string{"SessionStart"}},
		{Name: "AI_AGENT", Const: "claude-code_2-1-330_harness"},
		{Name: "COREPACK_ENABLE_AUTO_PIN", Const: "0"},
		{Name: "NoDefaultCurrentDirectoryInExePath", Const: "1"},
		{Name: "CLAUDE_PID"}, {Name: "CLAUDE_CODE_CHILD_NOTES_DIR"}, {Name: "CLAUDE_CODE_MESSAGING_SOCKET"},
		{Name: "CLAUDE_CODE_MESSAGING_TOKEN"},
	}
}
