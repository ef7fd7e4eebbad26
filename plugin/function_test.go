package plugin_test

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

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

// TestAFunctionHasItsTimeOnly: then the plugin has failed, with what that means there, its context
// ends, and what it answers later is counted. Close says who still runs.
func TestAFunctionHasItsTimeOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Int64
		leave := make(chan bool)
		slow := asBlock(function("slow", func(ctx context.Context, ev plugin.Event) (plugin.Answer, error) {
			<-ctx.Done()
			ended.Add(1)
			if ev.Point == preTool {
				<-leave
			}
			return plugin.Answer{Body: json.RawMessage(`{"arguments":{}}`)}, ev.Admit(1 << 20)
		}, preTool, preAPITools))
		slow.Timeout = time.Second
		l := &log{}
		for _, p := range []plugin.Plugin{slow, pure(slow)} {
			host := l.host(p, pure(says("other", `{}`, preTool, preAPITools)))
			begin := time.Now()
			verdict := fire(t, host, hookpoints.PreTool, call)
			if took := time.Since(begin); took != time.Second || !strings.Contains(verdict.Message, "no answer after 1s") {
				t.Errorf("after %s verdict %+v", took, verdict)
			}
			fire(t, host, hookpoints.PreAPITools, hookpoints.PreAPIToolsPayload{})
			synctest.Wait()
			if ended.Load() == 0 {
				t.Error("the context of the function has not ended")
			}
			const want = `plugin "slow" at pre_tool: 1 call is still running although its time is over; let the function ` +
				"return when its context ends"
			if err := host.Close(t.Context()); err == nil || err.Error() != want {
				t.Errorf("Close: %v", err)
			}
			leave <- true
			synctest.Wait()
			late := []plugin.Late{{Plugin: "slow", Point: preAPITools, Discarded: 1},
				{Plugin: "slow", Point: preTool, Discarded: 1}}
			if diff := cmp.Diff(late, host.Late()); diff != "" {
				t.Errorf("late (-want +got):\n%s", diff)
			}
			if err := host.Close(t.Context()); err != nil {
				t.Errorf("Close: %v", err)
			}
		}
	})
}

// TestAFunctionThatNeverReturnsIsNotCalledForever: what runs on is bounded.
func TestAFunctionThatNeverReturnsIsNotCalledForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leave := make(chan bool)
		var calls atomic.Int64
		stuck := function("stuck", func(context.Context, plugin.Event) (plugin.Answer, error) {
			calls.Add(1)
			<-leave
			return plugin.Answer{}, nil
		}, preTool)
		stuck.Timeout = time.Second
		l := &log{}
		host := l.host(stuck)
		for range plugin.MaxLate + 5 {
			fire(t, host, hookpoints.PreTool, call)
		}
		const why = `plugin "stuck" at pre_tool: it was not called, because 16 calls still run although their time is ` +
			"over; went on without it"
		if last := l.notices[len(l.notices)-1]; calls.Load() != plugin.MaxLate || last != why {
			t.Errorf("%d calls, the last notice %q", calls.Load(), last)
		}
		close(leave)
	})
}
