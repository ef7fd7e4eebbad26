package engine

import (
	"slices"
	"time"

	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

const codexLimit = 600 * time.Second

// codex is Codex CLI.
func codex() Dialect {
	return Dialect{
		Name: "codex", Aliases: []string{"codex-cli"}, Title: "Codex CLI",
		Facts:  Facts{Driven: "0.169.0", Date: "2026-11-22", Read: "source code of mid-2026 and its schemas of answers"},
		Places: codexPlaces(), Shape: codexShape(), Servers: codexServers(), AfterAdd: codexAfterAdd,
		Tools: codexTools(), AbsolutePaths: true, MCPName: "mcp__%s__%s",
		Results: []Result{
			{Categories: []tools.Category{tools.CategoryMCP}, Fields: []Field{
				{Name: "content", Value: ToolOutput, Form: AsTextBlocks},
			}},
		},
		Words:     []Word{{Value: PermissionMode, Ours: "trusted", Theirs: "bypassPermissions"}},
		Shell:     []string{"bash", "-c"},
		Strict:    true,
		PlainText: TextIgnored,
		Matcher:   MatcherRule{Names: "_", Separators: "|"},
		Exits: []Exit{
			{Status: "0", JSON: "decides", Then: "ok"},
			{Status: "2", JSON: "ignored", Then: "deny", NeedsText: true},
		},
		Events: slices.Concat(codexToolEvents(), codexTurnEvents(), codexAgentEvents()),
		Exceptions: []Exception{
			{Function: "patchOf", Reason: "write_file and file_edit are apply_patch there, whose one argument is a patch"},
		},
	}
}

// codexTools is how Codex names its tools. It reads, lists and searches files by commands.
func codexTools() toolnames.Table {
	return toolnames.Table{
		{Category: tools.CategoryShell, Ours: "shell_exec", All: true, Name: "Bash",
			Subject: toolnames.Arg("command", "command")},
		{Category: tools.CategoryEdit, Ours: "file_edit", All: true, Name: "apply_patch",
			Also: []string{"Edit", "Write"}, Subject: toolnames.Arg("path", "path")},
		{Category: tools.CategoryWrite, Ours: "write_file", All: true, Name: "apply_patch",
			Also: []string{"Edit", "Write"}, Subject: toolnames.Arg("path", "path")},
		{Category: tools.CategoryAgent, Ours: "spawn_agent", Name: "spawn_agent",
			Arguments: []toolnames.Argument{toolnames.Arg("task", "message"), toolnames.Arg("agent", "agent_type")}},
	}
}

// codexFields are the fields of an event of a turn: those before the name, the name, and
// those after it.
func codexFields(event string, fields ...Field) []Field {
	return append([]Field{
		{Name: "session_id", Value: Session}, {Name: "turn_id", Value: PromptID},
		{Name: "agent_id", Value: AgentID, Optional: true}, {Name: "agent_type", Value: AgentType, Optional: true},
		{Name: "transcript_path", Value: Transcript}, {Name: "cwd", Value: Cwd},
		{Name: "hook_event_name", Const: `"` + event + `"`}, {Name: "model", Value: Model},
		{Name: "permission_mode", Value: PermissionMode, Const: `"default"`},
	}, fields...)
}

// without leaves out fields.
func without(fields []Field, names ...string) (rest []Field) {
	for _, f := range fields {
		if !slices.Contains(names, f.Name) {
			rest = append(rest, f)
		}
	}
	return rest
}

// codexToolEvents are the events about tools.
func codexToolEvents() []Event {
	const limit = codexLimit
	call := []Field{
		{Name: "tool_name", Value: ToolName, Form: AsTool}, {Name: "tool_input", Value: ToolInput, Form: AsPatch},
	}
	id := Field{Name: "tool_use_id", Value: CallID}
	return []Event{
		{
			Name: "PreToolUse", Kind: BeforeTool, Matches: ToolName, Timeout: limit, Bridged: true,
			Fields: codexFields("PreToolUse", append(call, id)...),
			Rows:   codexBeforeTool(),
			Lost: []string{
				"a question is a denial: Codex' hooks cannot ask",
				"an approval has no effect: Codex asks as it does without hooks",
				"rewritten arguments approve the call as well, since Codex takes them with an approval only",
				"an end of the turn is a denial of the call; the turn goes on",
				"of apply_patch only a patch of one place in one file can be rewritten",
			},
		},
		{
			Name: "PermissionRequest", Kind: AskPermission, Matches: ToolName, Timeout: limit, Bridged: true,
			Fields: codexFields("PermissionRequest", call...),
			Rows:   codexPermission(),
			Lost:   []string{"an end of the turn is a denial; the turn goes on"},
		},
		{
			Name: "PostToolUse", Kind: AfterTool, Matches: ToolName, Timeout: limit, Bridged: true,
			Fields: codexFields("PostToolUse",
				append(call, Field{Name: "tool_response", Value: ToolOutput, Form: AsResult}, id)...),
			Rows:         codexAfterTool(),
			DenyReplaces: true,
			Lost: []string{
				"a new result is told as Codex's feedback, in place of the result",
				"it does not fire for calls that Codex refused",
				"the turn cannot be ended here",
			},
		},
	}
}

// codexSpecific puts rows into hookSpecificOutput, which must name the event.
func codexSpecific(event string, rows ...Row) []Row {
	named := `hookSpecificOutput.hookEventName="` + event + `"`
	for i := range rows {
		rows[i].Path = "hookSpecificOutput." + rows[i].Path
		rows[i].Needs = append([]string{named}, rows[i].Needs...)
	}
	return append(rows, Row{Path: "hookSpecificOutput.hookEventName", Is: `"` + event + `"`, Set: Silent})
}

// codexGoesOn are the members that every event has, at events whose hooks cannot end the turn.
func codexGoesOn() []Row {
	return []Row{
		{Path: "systemMessage", Set: SetSystemMessage},
		{Path: "continue", Is: "false", Set: Invalid},
		{Path: "stopReason", Set: Invalid},
		{Path: "suppressOutput", Is: "true", Set: Invalid},
	}
}

// codexEnds are the members that every event has, at events whose hooks can end the turn.
func codexEnds() []Row {
	return []Row{
		{Path: "systemMessage", Set: SetSystemMessage},
		{Path: "continue", Is: "false", Set: SetHalt},
		{Path: "stopReason", Set: SetHaltReason},
		{Path: "suppressOutput", Is: "true", Set: Silent},
	}
}

func codexBeforeTool() []Row {
	const decision, reason, input = "hookSpecificOutput.permissionDecision", "hookSpecificOutput.permissionDecisionReason",
		"hookSpecificOutput.updatedInput"
	rows := codexSpecific("PreToolUse",
		Row{Path: "permissionDecision", Is: `"deny"`, Set: SetDecision, To: "deny", Needs: []string{reason}},
		Row{Path: "permissionDecision", Is: `"allow"`, Set: SetDecision, To: "allow", Needs: []string{input}},
		Row{Path: "permissionDecision", Is: `"ask"`, Set: Invalid},
		Row{Path: "permissionDecisionReason", Set: SetReason, Needs: []string{decision}},
		Row{Path: "updatedInput", Set: SetInput, Needs: []string{decision + `="allow"`},
			Costs: "approves the call"},
		Row{Path: "additionalContext", Set: SetContext},
	)
	const none = "!"
	legacy := []string{none + decision, none + reason, none + input}
	return append(append(rows, codexGoesOn()...),
		Row{Path: "decision", Is: `"block"`, Set: SetDecision, To: "deny", Needs: []string{"reason"}, When: legacy},
		Row{Path: "decision", Is: `"approve"`, Set: Invalid, When: legacy},
		Row{Path: "reason", Set: SetReason, Needs: []string{`decision="block"`}, When: legacy},
	)
}

func codexPermission() []Row {
	const behavior = "hookSpecificOutput.decision.behavior"
	return append(codexSpecific("PermissionRequest",
		Row{Path: "decision.behavior", Is: `"deny"`, Set: SetDecision, To: "deny"},
		Row{Path: "decision.behavior", Is: `"allow"`, Set: SetDecision, To: "allow"},
		Row{Path: "decision.message", Set: SetReason, Needs: []string{behavior}},
		Row{Path: "decision.updatedInput", Set: Invalid},
		Row{Path: "decision.updatedPermissions", Set: Invalid},
		Row{Path: "decision.interrupt", Is: "true", Set: Invalid},
	), codexGoesOn()...)
}

func codexAfterTool() []Row {
	return append(codexSpecific("PostToolUse",
		Row{Path: "additionalContext", Set: SetContext},
		Row{Path: "updatedToolOutput", Set: NoEffect},
		Row{Path: "updatedMCPToolOutput", Set: NoEffect},
	),
		Row{Path: "systemMessage", Set: SetSystemMessage},
		Row{Path: "decision", Is: `"block"`, Set: SetDecision, To: "deny", Needs: []string{"reason"}},
		Row{Path: "continue", Is: "false", Set: SetHalt, Reads: true},
		Row{Path: "stopReason", Set: SetHaltReason, Reads: true},
		Row{Path: "reason", Set: SetReason, Needs: []string{`decision="block"`}, When: []string{`!continue=false`}},
		Row{Path: "reason", Set: SetReason, When: []string{`continue=false`}},
		Row{Path: "reason", Set: SetOutput, Needs: []string{`decision="block"`}, Writes: true},
		Row{Path: "suppressOutput", Is: "true", Set: Invalid},
	)
}
