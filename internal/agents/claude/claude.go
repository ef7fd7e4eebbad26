// Package claude has the facts about Claude Code: its table and its settings files. testdata has payloads that the
// program wrote to its hooks, and how the table reads them.
package claude

import (
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// Agent is Claude Code.
func Agent() engine.Agent {
	return engine.Agent{Names: []string{"claude", "claude-code"}, Table: table}
}

func table() engine.Dialect {
	return engine.Dialect{
		Title:  "Claude Code",
		Facts:  engine.Facts{Driven: "2.1.330", Date: "2026-11-22", Read: "the vendor's documentation of 2026-08-22"},
		Places: places(), Shape: shape(), Events: events(), Servers: servers(),
		Matcher: engine.MatcherRule{Names: "_- ", Separators: ",|", Lookaround: true},
		Tools:   toolNames(), AbsolutePaths: true, MCPName: "mcp__%s__%s", Results: results(),
		Sessions: engine.SessionFiles{Path: ".claude/projects/*/????????-????-????-????-????????????.jsonl",
			Variable: "CLAUDE_CONFIG_DIR"},
		SessionToo: "sessionId", // VS Code
		Words: engine.Words{
			{Value: engine.PermissionMode, Ours: "trusted", Theirs: "bypassPermissions"},
			{Value: engine.Reason, Ours: "other", Theirs: "other"},
			{Value: engine.Reason, Ours: "exit", Theirs: "prompt_input_exit"},
			{Value: engine.Reason, Ours: "error", Theirs: "other"},
			{Value: engine.Reason, Ours: "interrupt", Theirs: "other"},
			{Value: engine.FailureKind, Ours: "error", Theirs: "unknown"},
		},
		Environment: environment(),
		Shell:       []string{"sh", "-c"}, Newline: true, Dedup: "command", MaxContinuations: 8, HasAsk: true,
		Typed: true, PlainText: engine.TextIgnored, NoReason: "Blocked by hook",
		Exits: []engine.Exit{
			{Status: "0", JSON: engine.JSONDecides, Then: engine.EndsOK},
			{Status: "2", JSON: engine.JSONBeside, Then: engine.EndsDenied, NoText: "No stderr output"},
			{Status: engine.OtherStatus, JSON: engine.JSONDecides, Then: engine.EndsFailed},
		},
	}
}

// fields are the members of every payload, then the members of one event. has names members that only some events
// have: "mode" and "effort".
func fields(has string, own ...engine.Field) []engine.Field {
	list := []engine.Field{engine.Holds("session_id", engine.Session), engine.Holds("transcript_path", engine.Transcript),
		engine.Holds("cwd", engine.Cwd)}
	if strings.Contains(has, "start") { // before the first prompt
		list = append(list, engine.Field{Name: "prompt_id", Value: engine.PromptID, Reads: true, Optional: true})
	} else {
		list = append(list, engine.Optional("prompt_id", engine.PromptID))
	}
	if strings.Contains(has, "mode") {
		list = append(list, engine.Optional("permission_mode", engine.PermissionMode))
	}
	list = append(list, engine.Optional("agent_id", engine.AgentID), engine.Optional("agent_type", engine.AgentType))
	if strings.Contains(has, "effort") {
		list = append(list, engine.Optional("effort.level", engine.Effort))
	}
	return slices.Concat(list, []engine.Field{engine.Holds("hook_event_name", engine.EventName)}, own)
}

// rows are the members of an answer at an event: its own, and the members of all events. Members of
// hookSpecificOutput count only beside the event's name.
func rows(event string, own ...engine.Row) []engine.Row {
	name := engine.Is("hookSpecificOutput.hookEventName", `"`+event+`"`)
	rows := append([]engine.Row{{Path: "hookSpecificOutput", Set: engine.Silent, Needs: []engine.Condition{name}}}, own...)
	return append(rows,
		engine.Row{Path: "continue", Is: "false", Set: engine.SetHalt}, engine.Row{Path: "continue", Set: engine.Silent},
		engine.Row{Path: "stopReason", Set: engine.SetHaltReason},
		engine.Row{Path: "systemMessage", Set: engine.SetSystemMessage},
		engine.Row{Path: "suppressOutput", Set: engine.Silent},
		engine.Row{Path: "terminalSequence", Set: engine.NoEffect},
	)
}

// goesOn are the members of an answer at an event after which Claude Code goes on, even if the answer ends the
// turn.
func goesOn(list []engine.Row) []engine.Row {
	for i, row := range list {
		if row.Set == engine.SetHalt || row.Set == engine.SetHaltReason {
			list[i].Set = engine.NoEffect
		}
	}
	return list
}

// quiet are the members of an answer at an event whose answers decide nothing.
func quiet() []engine.Row {
	return []engine.Row{
		{Path: "systemMessage", Set: engine.SetSystemMessage},
		{Path: "continue", Is: "false", Set: engine.NoEffect}, {Path: "continue", Set: engine.Silent},
		{Path: "suppressOutput", Set: engine.Silent},
		{Path: "decision", Set: engine.NoEffect}, {Path: "reason", Set: engine.Silent},
		{Path: "stopReason", Set: engine.NoEffect},
	}
}

// Rows that several events have.
func contextRow() engine.Row {
	return engine.Row{Path: "hookSpecificOutput.additionalContext", Set: engine.SetContext}
}

func block() []engine.Row {
	return []engine.Row{
		{Path: "decision", Is: `"block"`, Set: engine.SetDecision, To: "deny"},
		{Path: "decision", Is: `"approve"`, Set: engine.Silent},
		{Path: "reason", Set: engine.SetReason},
	}
}

// commandLimit is how long a command may take at most events.
const commandLimit = 600 * time.Second

// cannotBlock are the exit statuses of events at which a hook cannot block.
func cannotBlock() []engine.Exit {
	return []engine.Exit{{Status: "2", JSON: engine.JSONDecides, Then: engine.EndsFailed}}
}

// environment are the variables of hooks. Only Claude Code can set variables without a value.
func environment() []engine.Variable {
	withEffort := []string{"PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Stop",
		"StopFailure", "SubagentStop"}
	return []engine.Variable{
		{Name: "CLAUDE_PROJECT_DIR", Value: engine.Project},
		{Name: "CLAUDECODE", Const: "1"},
		{Name: "CLAUDE_CODE_ENTRYPOINT", Value: engine.Mode,
			Words: engine.Words{{Value: engine.Mode, Ours: "chat", Theirs: "cli"},
				{Value: engine.Mode, Ours: "run", Theirs: "sdk-cli"}}},
		{Name: "CLAUDE_CODE_SESSION_ID", Value: engine.Session},
		{Name: "CLAUDE_CODE_SESSION_ATTENDED", Value: engine.Mode,
			Words: engine.Words{{Value: engine.Mode, Ours: "chat", Theirs: "1"},
				{Value: engine.Mode, Ours: "run", Theirs: "0"}}},
		{Name: "CLAUDE_CODE_CHILD_SESSION", Const: "1"},
		{Name: "CLAUDE_EFFORT", Value: engine.Effort, Events: withEffort},
		{Name: "CLAUDE_ENV_FILE", Value: engine.EnvFile, Events: []string{"SessionStart"}},
		{Name: "AI_AGENT", Const: "claude-code_2-1-330_harness"},
		{Name: "COREPACK_ENABLE_AUTO_PIN", Const: "0"},
		{Name: "NoDefaultCurrentDirectoryInExePath", Const: "1"},
		{Name: "CLAUDE_PID"}, {Name: "CLAUDE_CODE_CHILD_NOTES_DIR"}, {Name: "CLAUDE_CODE_MESSAGING_SOCKET"},
		{Name: "CLAUDE_CODE_MESSAGING_TOKEN"},
	}
}

// places are Claude Code's settings files.
func places() []engine.Place {
	return []engine.Place{
		{Scope: engine.ScopeSystem, Path: "/etc/claude-code/managed-settings.json", Format: "json"},
		{Scope: engine.ScopeSystem, Path: "/Library/Application Support/ClaudeCode/managed-settings.json", Format: "json"},
		{Scope: engine.ScopeUser, Path: ".claude/settings.json", Variable: "CLAUDE_CONFIG_DIR", Format: "json", Write: true},
		{Scope: engine.ScopeProject, Path: ".claude/settings.json", Format: "json", Write: true},
		{Scope: engine.ScopeLocal, Path: ".claude/settings.local.json", Format: "json", Write: true},
	}
}

// shape is how Claude Code's settings files list hooks.
func shape() engine.Shape {
	return engine.Shape{Root: "hooks", Groups: true, Timeout: "timeout", Unit: time.Second, Disable: "disableAllHooks",
		Conditions: true, URLs: "allowedHttpHookUrls", HeaderVariables: "httpHookAllowedEnvVars",
		Kinds: []engine.HandlerKind{engine.CommandHandler, engine.HTTPHandler, engine.MCPToolHandler, engine.PromptHandler,
			engine.AgentHandler},
		Limits: map[engine.HandlerKind]time.Duration{engine.PromptHandler: 30 * time.Second,
			engine.AgentHandler: 60 * time.Second}}
}

// servers: Claude Code writes its file of the person's servers while it runs, so chibi uses its command to add a
// server.
func servers() engine.ServerPlaces {
	return engine.ServerPlaces{
		{Place: engine.Place{Scope: engine.ScopeUser},
			Add:    []string{"claude", "mcp", "add", "--scope", "user", "chibi", "--"},
			Remove: []string{"claude", "mcp", "remove", "--scope", "user", "chibi"}},
		{Place: engine.Place{Scope: engine.ScopeProject, Path: ".mcp.json", Format: "json"}, Root: "mcpServers"},
	}
}
