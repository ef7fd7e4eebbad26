// Package codex has the facts about Codex CLI: its table and its settings files. testdata has payloads that the
// program wrote to its hooks, and how the table reads them.
package codex

import (
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

const timeLimit = 600 * time.Second

// Agent is Codex CLI.
func Agent() engine.Agent {
	return engine.Agent{Names: []string{"codex", "codex-cli"}, Table: table}
}

func table() engine.Dialect {
	return engine.Dialect{
		Title: "Codex CLI",
		Facts: engine.Facts{Driven: "0.169.0", Date: "2026-11-22",
			Read: "source code of mid-2026 and its schemas of answers"},
		Sessions: engine.SessionFiles{Path: ".codex/sessions/*/*/*/rollout-*.jsonl", Variable: "CODEX_HOME", Nested: true},
		Places:   places(), Shape: shape(), Servers: servers(), AfterAdd: afterAdd,
		Tools: toolNames(), AbsolutePaths: true, MCPName: "mcp__%s__%s",
		Results: []engine.Result{
			{Categories: []tools.Category{tools.CategoryMCP}, Fields: []engine.Field{
				{Name: "content", Value: engine.ToolOutput, Form: engine.AsTextBlocks},
			}},
		},
		Words:     []engine.Word{{Value: engine.PermissionMode, Ours: "trusted", Theirs: "bypassPermissions"}},
		Shell:     []string{"bash", "-c"},
		Strict:    true,
		PlainText: engine.TextIgnored,
		Matcher:   engine.MatcherRule{Names: "_", Separators: "|"},
		Exits: []engine.Exit{
			{Status: "0", JSON: engine.JSONDecides, Then: engine.EndsOK},
			{Status: "2", JSON: engine.JSONIgnored, Then: engine.EndsDenied, NeedsText: true},
		},
		Events: slices.Concat(toolEvents(), turnEvents(), agentEvents()),
		Exceptions: []engine.Exception{
			{Function: "patchOf", Reason: "write_file and file_edit are apply_patch there, whose one argument is a patch"},
		},
	}
}

// toolNames is how Codex names its tools. It reads, lists and searches files by commands.
func toolNames() toolnames.Table {
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

// fields are the fields of an event of a turn.
func fields(event string, fields ...engine.Field) []engine.Field {
	return append([]engine.Field{
		{Name: "session_id", Value: engine.Session}, {Name: "turn_id", Value: engine.PromptID},
		{Name: "agent_id", Value: engine.AgentID, Optional: true},
		{Name: "agent_type", Value: engine.AgentType, Optional: true},
		{Name: "transcript_path", Value: engine.Transcript}, {Name: "cwd", Value: engine.Cwd},
		{Name: "hook_event_name", Const: `"` + event + `"`}, {Name: "model", Value: engine.Model},
		{Name: "permission_mode", Value: engine.PermissionMode, Const: `"default"`},
	}, fields...)
}

// without leaves out fields.
func without(fields []engine.Field, names ...string) (rest []engine.Field) {
	for _, f := range fields {
		if !slices.Contains(names, f.Name) {
			rest = append(rest, f)
		}
	}
	return rest
}

// toolEvents are the events about tools.
func toolEvents() []engine.Event {
	const limit = timeLimit
	call := []engine.Field{
		{Name: "tool_name", Value: engine.ToolName, Form: engine.AsTool},
		{Name: "tool_input", Value: engine.ToolInput, Form: engine.AsPatch},
	}
	id := engine.Holds("tool_use_id", engine.CallID)
	return []engine.Event{
		{
			Name: "PreToolUse", Kind: engine.BeforeTool, Matches: engine.ToolName, Timeout: limit, Bridged: true,
			Fields: fields("PreToolUse", append(call, id)...),
			Rows:   beforeTool(),
			Lost: []string{
				"A question becomes a denial: Codex's hooks cannot ask.",
				"An approval has no effect: Codex asks as it does without hooks.",
				"Rewritten arguments also approve the call: Codex takes them only with an approval.",
				"A plugin that ends the turn refuses the call, and the turn goes on.",
				"A plugin can rewrite a call of apply_patch only if it changes one place in one file.",
			},
		},
		{
			Name: "PermissionRequest", Kind: engine.AskPermission, Matches: engine.ToolName, Timeout: limit, Bridged: true,
			Fields: fields("PermissionRequest", call...),
			Rows:   permissionRows(),
			Lost:   []string{"A plugin that ends the turn refuses the call, and the turn goes on."},
		},
		{
			Name: "PostToolUse", Kind: engine.AfterTool, Matches: engine.ToolName, Timeout: limit, Bridged: true,
			Fields: fields("PostToolUse", append(call, engine.Formed("tool_response", engine.ToolOutput, engine.AsResult),
				id)...),
			Rows:         afterTool(),
			DenyReplaces: true,
			Lost: []string{
				"Codex shows the model a new result as feedback, in place of the tool's result.",
				"It does not fire for calls that Codex refused.",
				"A plugin cannot end the turn here.",
			},
		},
	}
}

// specific puts rows into hookSpecificOutput, which must name the event.
func specific(event string, rows ...engine.Row) []engine.Row {
	named := engine.Is("hookSpecificOutput.hookEventName", `"`+event+`"`)
	for i := range rows {
		rows[i].Path = "hookSpecificOutput." + rows[i].Path
		rows[i].Needs = append([]engine.Condition{named}, rows[i].Needs...)
	}
	return append(rows, engine.Row{Path: "hookSpecificOutput.hookEventName", Is: `"` + event + `"`, Set: engine.Silent})
}

// goesOn are the members that every event has, at events whose hooks cannot end the turn.
func goesOn() []engine.Row {
	return []engine.Row{
		{Path: "systemMessage", Set: engine.SetSystemMessage},
		{Path: "continue", Is: "false", Set: engine.Invalid},
		{Path: "stopReason", Set: engine.Invalid},
		{Path: "suppressOutput", Is: "true", Set: engine.Invalid},
	}
}

// ends are the members that every event has, at events whose hooks can end the turn.
func ends() []engine.Row {
	return []engine.Row{
		{Path: "systemMessage", Set: engine.SetSystemMessage},
		{Path: "continue", Is: "false", Set: engine.SetHalt},
		{Path: "stopReason", Set: engine.SetHaltReason},
		{Path: "suppressOutput", Is: "true", Set: engine.Silent},
	}
}

func beforeTool() []engine.Row {
	const decision, reason, input = "hookSpecificOutput.permissionDecision", "hookSpecificOutput.permissionDecisionReason",
		"hookSpecificOutput.updatedInput"
	rows := specific("PreToolUse",
		engine.Row{Path: "permissionDecision", Is: `"deny"`, Set: engine.SetDecision, To: "deny",
			Needs: []engine.Condition{engine.Has(reason)}},
		engine.Row{Path: "permissionDecision", Is: `"allow"`, Set: engine.SetDecision, To: "allow",
			Needs: []engine.Condition{engine.Has(input)}},
		engine.Row{Path: "permissionDecision", Is: `"ask"`, Set: engine.Invalid},
		engine.Row{Path: "permissionDecisionReason", Set: engine.SetReason, Needs: []engine.Condition{engine.Has(decision)}},
		engine.Row{Path: "updatedInput", Set: engine.SetInput, Needs: []engine.Condition{engine.Is(decision, `"allow"`)},
			Costs: "the new arguments also approve the call"},
		engine.Row{Path: "additionalContext", Set: engine.SetContext},
	)
	legacy := []engine.Condition{engine.Has(decision).Not(), engine.Has(reason).Not(), engine.Has(input).Not()}
	return append(append(rows, goesOn()...),
		engine.Row{Path: "decision", Is: `"block"`, Set: engine.SetDecision, To: "deny",
			Needs: []engine.Condition{engine.Has("reason")},
			When:  legacy},
		engine.Row{Path: "decision", Is: `"approve"`, Set: engine.Invalid, When: legacy},
		engine.Row{Path: "reason", Set: engine.SetReason, Needs: []engine.Condition{engine.Is("decision", `"block"`)},
			When: legacy},
	)
}

func permissionRows() []engine.Row {
	const behavior = "hookSpecificOutput.decision.behavior"
	return append(specific("PermissionRequest",
		engine.Row{Path: "decision.behavior", Is: `"deny"`, Set: engine.SetDecision, To: "deny"},
		engine.Row{Path: "decision.behavior", Is: `"allow"`, Set: engine.SetDecision, To: "allow"},
		engine.Row{Path: "decision.message", Set: engine.SetReason, Needs: []engine.Condition{engine.Has(behavior)}},
		engine.Row{Path: "decision.updatedInput", Set: engine.Invalid},
		engine.Row{Path: "decision.updatedPermissions", Set: engine.Invalid},
		engine.Row{Path: "decision.interrupt", Is: "true", Set: engine.Invalid},
	), goesOn()...)
}

func afterTool() []engine.Row {
	return append(specific("PostToolUse",
		engine.Row{Path: "additionalContext", Set: engine.SetContext},
		engine.Row{Path: "updatedToolOutput", Set: engine.NoEffect},
		engine.Row{Path: "updatedMCPToolOutput", Set: engine.NoEffect},
	),
		engine.Row{Path: "systemMessage", Set: engine.SetSystemMessage},
		engine.Row{Path: "decision", Is: `"block"`, Set: engine.SetDecision, To: "deny",
			Needs: []engine.Condition{engine.Has("reason")}},
		engine.Row{Path: "continue", Is: "false", Set: engine.SetHalt, Reads: true},
		engine.Row{Path: "stopReason", Set: engine.SetHaltReason, Reads: true},
		engine.Row{Path: "reason", Set: engine.SetReason, Needs: []engine.Condition{engine.Is("decision", `"block"`)},
			When: []engine.Condition{engine.Is("continue", "false").Not()}},
		engine.Row{Path: "reason", Set: engine.SetReason, When: []engine.Condition{engine.Is("continue", "false")}},
		engine.Row{Path: "reason", Set: engine.SetOutput, Needs: []engine.Condition{engine.Is("decision", `"block"`)},
			Writes: true},
		engine.Row{Path: "suppressOutput", Is: "true", Set: engine.Invalid},
	)
}

// places are Codex's settings files.
func places() []engine.Place {
	return []engine.Place{
		{Scope: engine.ScopeUser, Path: ".codex/hooks.json", Variable: "CODEX_HOME", Format: "json", Write: true,
			Whole: true},
		{Scope: engine.ScopeUser, Path: ".codex/config.toml", Variable: "CODEX_HOME", Format: "toml"},
		{Scope: engine.ScopeProject, Path: ".codex/hooks.json", Format: "json", Write: true, Whole: true},
		{Scope: engine.ScopeProject, Path: ".codex/config.toml", Format: "toml"},
	}
}

// shape says how Codex's settings files list hooks.
func shape() engine.Shape {
	return engine.Shape{Root: "hooks", Groups: true, Timeout: "timeout", Unit: time.Second, Enable: "features.hooks",
		NoEvents: []string{"state"}, Kinds: []engine.HandlerKind{engine.CommandHandler, engine.PromptHandler,
			engine.AgentHandler, engine.MCPToolHandler},
		NotRun: []engine.HandlerKind{engine.PromptHandler, engine.AgentHandler}}
}

// afterAdd says what the person has to do in Codex.
const afterAdd = "Codex skips hooks that you have not trusted, without a word: start codex, open /hooks and " +
	"trust chibi's, again after each change; codex exec runs them with --dangerously-bypass-hook-trust"

func servers() engine.ServerPlaces {
	return engine.ServerPlaces{
		{Place: engine.Place{Scope: engine.ScopeUser, Path: ".codex/config.toml", Variable: "CODEX_HOME", Format: "toml"},
			Root: "mcp_servers"},
		{Place: engine.Place{Scope: engine.ScopeProject, Path: ".codex/config.toml", Format: "toml"}, Root: "mcp_servers"},
	}
}
