package plugin_test

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// function is a plugin that is a Go function at some points.
func function(name string, f plugin.HandlerFunc, points ...hookpoints.Name) plugin.Plugin {
	return plugin.Plugin{Name: name, Hooks: points, Handler: f}
}

// TestAFunctionThatEndsItsGoroutineHasFailed where plugins are asked one after another, at once, or
// before their turn, and the others are asked all the same.
func TestAFunctionThatEndsItsGoroutineHasFailed(t *testing.T) {
	exits := function("exits", func(context.Context, plugin.Event) (plugin.Answer, error) {
		runtime.Goexit()
		return plugin.Answer{}, nil
	}, preTool, preAPITools)
	strict := plugin.New("strict", plugin.HandlePoint(hookpoints.PreTool,
		func(context.Context, hookpoints.PreToolPayload) (hookpoints.PreToolAnswer, error) {
			runtime.Goexit()
			return hookpoints.PreToolAnswer{}, nil
		}))
	for _, plugins := range [][]plugin.Plugin{{exits, asBlock(strict)}, {pure(exits), pure(asBlock(strict))}} {
		l := &log{}
		verdict := fire(t, l.host(plugins...), hookpoints.PreTool, call)
		if diff := cmp.Diff([]string{"exits: failed", "strict: failed"}, l.results()); diff != "" || !verdict.Block {
			t.Errorf("verdict %+v, results (-want +got):\n%s", verdict, diff)
		}
		if len(l.notices) == 0 || !strings.Contains(l.notices[0], "it ended its goroutine instead of returning") {
			t.Errorf("notices %q", l.notices)
		}
	}
	l := &log{}
	fire(t, l.host(exits, says("after", `{"exclude":["ls"]}`, preAPITools)), hookpoints.PreAPITools,
		hookpoints.PreAPIToolsPayload{Tools: []hookpoints.ListedTool{{Name: "ls"}}})
	if diff := cmp.Diff([]string{"exits: failed", "after: changed"}, l.results()); diff != "" {
		t.Errorf("at once: results (-want +got):\n%s", diff)
	}
}

// TestAFunctionHasAPayloadOfItsOwn: what it writes into it, others do not receive, no trace has,
// and the answer does not show.
func TestAFunctionHasAPayloadOfItsOwn(t *testing.T) {
	scribble := func(text []byte) {
		for i := range text {
			text[i] = 'x'
		}
	}
	raw := function("raw", func(_ context.Context, ev plugin.Event) (plugin.Answer, error) {
		scribble(ev.Payload)
		return plugin.Answer{Body: json.RawMessage(`{"arguments":{"dir":"/"}}`)}, nil
	}, preTool)
	typed := plugin.New("typed", plugin.HandlePoint(hookpoints.PreTool,
		func(_ context.Context, call hookpoints.PreToolPayload) (hookpoints.PreToolAnswer, error) {
			scribble(call.Arguments)
			return hookpoints.PreToolAnswer{}, nil
		}))
	last := guards(raw)
	last.Name = "last"
	for _, plugins := range [][]plugin.Plugin{{raw, typed, last}, {pure(raw), pure(typed), pure(last)}} {
		l := &log{}
		verdict := fire(t, l.host(plugins...), hookpoints.PreTool, call)
		if got := string(verdict.Arguments); got != `{"dir":"/"}` {
			t.Errorf("the verdict has %s", got)
		}
		for _, r := range l.records {
			if !json.Valid(r.Payload) {
				t.Errorf("the record of %s has %s", r.Plugin, r.Payload)
			}
		}
	}
}
