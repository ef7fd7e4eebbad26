package dialect

import (
	"strings"
	"time"

	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

// claude is Claude Code.
func claude() Dialect {
	common := []Field{
		{Name: "session_id", Value: Session}, {Name: "transcript_path", Value: Transcript}, {Name: "cwd", Value: Cwd},
		{Name: "prompt_id", Value: PromptID, Optional: true},
		{Name: "permission_mode", Value: PermissionMode, Optional: true},
		{Name: "effort.level", Value: Effort, Optional: true},
	}
	event := func(name string, fields ...Field) []Field {
		all := append([]Field{}, common...)
		return append(append(all, Field{Name: "hook_event_name", Const: `"` + name + `"`}), fields...)
	}
	return Dialect{
		Name: "claude", Aliases: []string{"claude-code"}, Title: "Claude Code",
		Facts:  Facts{Driven: "2.1.330", Date: "2026-11-22", Read: "the vendor's documentation"},
		Places: claudePlaces(), Shape: claudeShape(),
		Tools:   claudeTools(),
		MCPName: "mcp__%s__%s",
		Matcher: MatcherRule{Names: "_- ", Separators: ",|", Invalid: "none"},
		Words: []Word{
			{Value: PermissionMode, Ours: "trusted", Theirs: "bypassPermissions"},
		},
		Results: []Result{{Categories: []tools.Category{tools.CategoryShell}, Fields: []Field{
			{Name: "stdout", Value: ToolOutput, Form: AsTrimmed}, {Name: "stderr", Const: `""`},
			{Name: "interrupted", Const: "false"}, {Name: "isImage", Const: "false"},
			{Name: "noOutputExpected", Const: "false"},
		}}},
		Newline: true, AbsolutePaths: true, Dedup: "command", MaxContinuations: 8, HasAsk: true, Typed: true,
		Shell:     []string{"sh", "-c"},
		PlainText: TextIgnored, NoReason: "Blocked by hook",
		Exits: []Exit{
			{Status: "0", JSON: "decides", Then: "ok"},
			{Status: "2", JSON: "beside", Then: "deny", NoText: "No stderr output"},
			{Status: "other", JSON: "decides", Then: "failed"},
		},
		Events: []Event{{
			Name: "PreToolUse", Kind: BeforeTool, Matches: ToolName, Timeout: 600 * time.Second, Bridged: true,
			Fields: event("PreToolUse", Field{Name: "tool_name", Value: ToolName, Form: AsTool},
				Field{Name: "tool_input", Value: ToolInput, Form: AsInput}, Field{Name: "tool_use_id", Value: CallID}),
			Rows: claudeRows("PreToolUse",
				Row{Path: "hookSpecificOutput.permissionDecision", Is: `"deny"`, Set: SetDecision, To: "deny"},
				Row{Path: "hookSpecificOutput.permissionDecision", Is: `"ask"`, Set: SetDecision, To: "ask"},
				Row{Path: "hookSpecificOutput.permissionDecision", Is: `"defer"`, Set: SetDecision, To: "ask", Reads: true},
				Row{Path: "hookSpecificOutput.permissionDecision", Is: `"allow"`, Set: SetDecision, To: "allow"},
				Row{Path: "hookSpecificOutput.permissionDecisionReason", Set: SetReason},
				Row{Path: "hookSpecificOutput.updatedInput", Set: SetInput},
				Row{Path: "hookSpecificOutput.additionalContext", Set: SetContext},
				Row{Path: "decision", Is: `"block"`, Set: SetDecision, To: "deny", Reads: true},
				Row{Path: "decision", Is: `"approve"`, Set: SetDecision, To: "allow", Reads: true},
				Row{Path: "reason", Set: SetReason, Reads: true},
			),
		}},
	}
}

// claudeRows are the members of an answer at an event: its own, and those of all events. What is
// in hookSpecificOutput counts only beside the event's name.
func claudeRows(event string, own ...Row) []Row {
	name := `hookSpecificOutput.hookEventName="` + event + `"`
	rows := []Row{{Path: "hookSpecificOutput", Set: Silent, Needs: []string{name}}}
	for _, r := range own {
		if strings.HasPrefix(r.Path, "hookSpecificOutput.") {
			r.Needs = append([]string{name}, r.Needs...)
		}
		rows = append(rows, r)
	}
	return append(rows,
		Row{Path: "continue", Is: "false", Set: SetHalt},
		Row{Path: "stopReason", Set: SetHaltReason},
		Row{Path: "systemMessage", Set: SetSystemMessage},
		Row{Path: "suppressOutput", Set: Silent},
		Row{Path: "terminalSequence", Set: NoEffect},
	)
}

// claudeTools is how Claude Code names its tools.
func claudeTools() toolnames.Table {
	return toolnames.Table{{Category: tools.CategoryShell, Ours: "shell_exec", All: true, Name: "Bash",
		Subject:   toolnames.Arg("command", "command"),
		Arguments: []toolnames.Argument{{Ours: "timeout_secs", Theirs: "timeout", Times: 1000}}}}
}
