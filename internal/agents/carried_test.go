package agents_test

import (
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/plugin"
)

// TestWhatAnAgentCarriesOut holds what agents do with plugins of some hook points, in the words that
// chibi bridge list and others show.
func TestWhatAnAgentCarriesOut(t *testing.T) {
	const (
		silent = "points that never fire there: "
		lost   = "its changes at pre_message are lost"

		refused = "its failure blocks, so chibi refuses each prompt or call whose change would be lost"
	)
	for _, test := range []struct {
		plugin plugin.Plugin
		want   map[string]string // by agent
	}{
		{plugin.Plugin{Hooks: []hookpoints.Name{"pre_message"}}, map[string]string{"claude": lost, "codex": lost,
			"copilot": "", "crush": silent + "pre_message", "cursor": lost, "gemini": lost, "qwen": lost}},
		{plugin.Plugin{Hooks: []hookpoints.Name{"pre_message"}, Guards: []hookpoints.Name{"pre_message"}},
			map[string]string{"claude": "", "codex": "", "crush": silent + "pre_message", "qwen": ""}},
		{plugin.Plugin{Hooks: []hookpoints.Name{"pre_message", "pre_tool", "pre_tool_output"}, OnFailure: plugin.Block},
			map[string]string{"copilot": "its changes at pre_tool_output are lost in part",
				"qwen": "its changes at pre_message, pre_tool are lost; its changes at pre_tool_output are lost in part; " +
					refused + " (UserPromptSubmit, PreToolUse)",
				"claude": "its changes at pre_message are lost; its changes at pre_tool_output are lost in part; " +
					refused + " (UserPromptSubmit)"}},
		{plugin.Plugin{Hooks: []hookpoints.Name{"pre_tool"}}, map[string]string{"claude": "",
			"codex": "its changes at pre_tool are lost in part", "copilot": "",
			"crush": "its changes at pre_tool are lost in part", "cursor": "",
			"droid":  "its changes at pre_tool are lost in part",
			"gemini": "its changes at pre_tool are lost in part", "grok": "",
			"kimi": "its changes at pre_tool are lost", "qwen": "its changes at pre_tool are lost"}},
		{plugin.Plugin{Hooks: []hookpoints.Name{"pre_tool_output"}}, map[string]string{
			"claude": "its changes at pre_tool_output are lost in part", "codex": "",
			"cursor": "its changes at pre_tool_output are lost", "crush": silent + "pre_tool_output"}},
		{plugin.Plugin{Hooks: []hookpoints.Name{"pre_file_read"}}, map[string]string{"claude": "", "crush": "", "cursor": "",
			"codex": silent + "pre_file_read"}},
		{plugin.Plugin{Hooks: []hookpoints.Name{"pre_api_request", "post_cache_output"}}, map[string]string{
			"claude": silent + "pre_api_request, post_cache_output",
			"gemini": silent + "post_cache_output; its changes at pre_api_request are lost in part"}},
		{plugin.Plugin{Hooks: []hookpoints.Name{"pre_spawn_agent"}, Guards: []hookpoints.Name{"pre_spawn_agent"}},
			map[string]string{"claude": "its refusals at pre_spawn_agent have no effect", "cursor": ""}},
		{plugin.Plugin{Hooks: []hookpoints.Name{"pre_shell_exec", "pre_compact"}}, map[string]string{"claude": "",
			"cursor": "its refusals at pre_compact have no effect"}},
		{plugin.Plugin{Hooks: []hookpoints.Name{"pre_message", "pre_stop"}, Origin: plugin.Origin{Protocol: "claude"}},
			map[string]string{"claude": "", "codex": "", "crush": silent + "pre_message, pre_stop"}},
	} {
		for name, want := range test.want {
			d, _ := agents.ByName(name)
			if got := (agents.Bridged{Dialect: d}).Loses(&test.plugin); got != want {
				t.Errorf("%v in %s: %q, want %q", test.plugin.Hooks, name, got, want)
			}
		}
	}
}
