package dialect

import (
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
		Words: []Word{
			{Value: PermissionMode, Ours: "trusted", Theirs: "bypassPermissions"},
		},
		Results: []Result{{Categories: []tools.Category{tools.CategoryShell}, Fields: []Field{
			{Name: "stdout", Value: ToolOutput, Form: AsTrimmed}, {Name: "stderr", Const: `""`},
			{Name: "interrupted", Const: "false"}, {Name: "isImage", Const: "false"},
			{Name: "noOutputExpected", Const: "false"},
		}}},
		Newline: true, AbsolutePaths: true, Dedup: "command", MaxContinuations: 8, HasAsk: true,
		Shell:     []string{"sh", "-c"},
		PlainText: TextIgnored,
		Events: []Event{{
			Name: "PreToolUse", Kind: BeforeTool, Matches: ToolName, Timeout: 600 * time.Second, Bridged: true,
			Fields: event("PreToolUse", Field{Name: "tool_name", Value: ToolName, Form: AsTool},
				Field{Name: "tool_input", Value: ToolInput, Form: AsInput}, Field{Name: "tool_use_id", Value: CallID}),
			Rows: []Row{
				{Path: "hookSpecificOutput.permissionDecision", Is: `"deny"`, Set: SetDecision, To: "deny",
					Needs: []string{`hookSpecificOutput.hookEventName="PreToolUse"`}},
				{Path: "hookSpecificOutput.permissionDecisionReason", Set: SetReason},
			},
		}},
	}
}

// claudeTools is how Claude Code names its tools.
func claudeTools() toolnames.Table {
	return toolnames.Table{{Category: tools.CategoryShell, Ours: "shell_exec", All: true, Name: "Bash",
		Subject: toolnames.Argument{Ours: "command", Theirs: "command"}}}
}
