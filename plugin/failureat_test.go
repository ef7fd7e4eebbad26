package plugin_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
)

// TestWhatAFailureMeansAtAPoint: the setting of the point beats that of the
// plugin, which beats what the plugin says; "" is that nobody has said anything,
// which Ignore is not.
func TestWhatAFailureMeansAtAPoint(t *testing.T) {
	at := func(failure plugin.Failure) map[hookpoints.Name]plugin.HookOverride {
		return map[hookpoints.Name]plugin.HookOverride{preTool: {OnFailure: failure}}
	}
	for _, test := range []struct {
		name     string
		says     plugin.Failure
		override plugin.Override
		want     plugin.Failure
	}{
		{"nobody says anything", "", plugin.Override{}, ""},
		{"the plugin", plugin.Block, plugin.Override{}, plugin.Block},
		{"the person", plugin.Block, plugin.Override{OnFailure: plugin.Ignore}, plugin.Ignore},
		{"the person, for the point", plugin.Block, plugin.Override{OnFailure: plugin.Block,
			Hooks: at(plugin.Ignore)}, plugin.Ignore},
		{"the person, for another point", "", plugin.Override{
			Hooks: map[hookpoints.Name]plugin.HookOverride{"pre_message": {OnFailure: plugin.Block}}}, ""},
		{"a bound alone", plugin.Block, plugin.Override{
			Hooks: map[hookpoints.Name]plugin.HookOverride{preTool: {Timeout: time.Second}}}, plugin.Block},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := plugin.Plugin{OnFailure: test.says}
			test.override.Apply(&p)
			if got := p.FailureAt(preTool); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestAFailureBlocksWhereItIsSaidForThatPointAlone(t *testing.T) {
	p := fails("guard", "", preTool, "pre_tool_output")
	plugin.Override{Hooks: map[hookpoints.Name]plugin.HookOverride{preTool: {OnFailure: plugin.Block}}}.Apply(&p)
	var l log
	h := l.host(p)
	if verdict := fire(t, h, hookpoints.PreTool, call); !verdict.Block {
		t.Error("its failure at pre_tool did not block")
	}
	if verdict := fire(t, h, hookpoints.PreToolOutput,
		hookpoints.PreToolOutputPayload{Arguments: json.RawMessage("{}")}); verdict.Block {
		t.Error("its failure at pre_tool_output blocked")
	}
}
