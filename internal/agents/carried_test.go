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
		lost   = "what it changes at pre_message is lost"
	)
	for _, test := range []struct {
		plugin plugin.Plugin
		want   map[string]string // by agent
	}{
		{plugin.Plugin{Hooks: []hookpoints.Name{"pre_message"}}, map[string]string{"claude": lost, "codex": lost,
			"copilot": "", "crush": silent + "pre_message", "cursor": lost, "gemini": lost, "qwen": lost}},
		{plugin.Plugin{Hooks: []hookpoints.Name{"pre_message"}, Guards: []hookpoints.Name{"pre_message"}},
			map[string]string{"claude": "", "codex": "", "crush": silent + "pre_message", "qwen": ""}},
		{plugin.Plugin{Hooks: []hookpoints.Name{"pre_tool"}}, map[string]string{"claude": "",
			"codex": "what it changes at pre_tool is lost in part", "copilot": "",
			"crush": "what it changes at pre_tool is lost in part", "cursor": "",
			"droid":  "what it changes at pre_tool is lost in part",
			"gemini": "what it changes at pre_tool is lost in part", "grok": "",
			"kimi": "what it changes at pre_tool is lost", "qwen": "what it changes at pre_tool is lost"}},
		{plugin.Plugin{Hooks: []hookpoints.Name{"pre_tool_output"}}, map[string]string{
			"claude": "what it changes at pre_tool_output is lost in part", "codex": "",
			"cursor": "what it changes at pre_tool_output is lost", "crush": silent + "pre_tool_output"}},
		{plugin.Plugin{Hooks: []hookpoints.Name{"pre_file_read"}}, map[string]string{"claude": "", "crush": "", "cursor": "",
			"codex": silent + "pre_file_read"}},
		{plugin.Plugin{Hooks: []hookpoints.Name{"pre_api_request", "post_cache_output"}}, map[string]string{
			"claude": silent + "pre_api_request, post_cache_output",
			"gemini": silent + "post_cache_output; what it changes at pre_api_request is lost in part"}},
		{plugin.Plugin{Hooks: []hookpoints.Name{"pre_spawn_agent"}, Guards: []hookpoints.Name{"pre_spawn_agent"}},
			map[string]string{"claude": "what it refuses at pre_spawn_agent happens all the same", "cursor": ""}},
		{plugin.Plugin{Hooks: []hookpoints.Name{"pre_shell_exec", "pre_compact"}}, map[string]string{"claude": "",
			"cursor": "what it refuses at pre_compact happens all the same"}},
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
