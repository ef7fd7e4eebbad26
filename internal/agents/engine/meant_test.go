package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
)

// TestWhichPointAnotherAgentsEventMeans, however its name is written.
func TestWhichPointAnotherAgentsEventMeans(t *testing.T) {
	for event, want := range map[string]string{
		"PreToolUse": "pre_tool", "preToolUse": "pre_tool", "pre_tool_use": "pre_tool", "BeforeTool": "pre_tool",
		"PostToolUse": "pre_tool_output", "AfterTool": "pre_tool_output", "PostToolUseFailure": "pre_tool_output",
		"UserPromptSubmit": "pre_message", "userPromptSubmitted": "pre_message", "beforeSubmitPrompt": "pre_message",
		"BeforeAgent": "pre_message", "SessionStart": "on_start", "SessionEnd": "on_end", "Stop": "pre_stop",
		"AfterAgent": "pre_stop", "agentStop": "pre_stop", "stop": "pre_stop",
		"PreCompact":   "pre_compact pre_rolling_compact",
		"PreCompress":  "pre_compact pre_rolling_compact",
		"SubagentStop": "post_spawn_agent", "SubagentStart": "pre_spawn_agent", "PermissionRequest": "pre_permission",
		"beforeShellExecution": "pre_shell_exec", "beforeMCPExecution": "pre_mcp_call", "beforeReadFile": "pre_file_read",
		"afterFileEdit": "pre_tool_output", "BeforeModel": "pre_api_request", "AfterModel": "post_turn",
		"BeforeToolSelection": "pre_api_tools", "errorOccurred": "on_turn_failed", "PostToolBatch": "post_tool_batch",
		"tool.execute.before": "pre_tool", "tool.call": "pre_tool", "agentSpawn": "on_start",
		"pre_run_command":   "pre_shell_exec",
		"afterAgentThought": "", "pre_tool": "", "": "",
	} {
		var got []string
		for _, point := range engine.Meant(event) {
			got = append(got, string(point))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q means %q, want %q", event, got, want)
		}
	}
	for _, d := range engine.All() {
		for _, e := range d.Events {
			meant := engine.Meant(e.Name)
			isNone := func(name hookpoints.Name) bool { return !hookpoints.Exists(name) }
			if e.Kind != engine.Never && meant == nil || slices.ContainsFunc(meant, isNone) {
				t.Errorf("%s: %s means %q", d.Name, e.Name, meant)
			}
		}
	}
}
