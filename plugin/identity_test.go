package plugin_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// TestHandlersKnowTheIdentity however they are asked; nobody computes it where nobody asks.
// For a plugin that nobody waits for it is that of the moment of the event.
func TestHandlersKnowTheIdentity(t *testing.T) {
	var mu sync.Mutex
	told := map[string]string{}
	tells := func(name string, points ...hookpoints.Name) plugin.Plugin {
		return plugin.Plugin{Name: name, Hooks: points, Handler: plugin.HandlerFunc(
			func(ctx context.Context, ev plugin.Event) (plugin.Answer, error) {
				mu.Lock()
				defer mu.Unlock()
				told[name+" "+string(ev.Point)] = ev.Identity().Session + plugin.IdentityOf(ctx).Session
				return plugin.Answer{}, nil
			})}
	}
	async := tells("async", postTool)
	async.Async = []hookpoints.Name{postTool}
	plugins := []plugin.Plugin{tells("plain", preTool, postTool), pure(tells("pure", preTool)),
		pure(tells("pure2", preTool)), guards(tells("guard", preTool)), async}
	plugins = append(plugins, round("r", tells("first", preTool), tells("second", preTool))...)
	h := &plugin.Host{Plugins: plugins}
	var asked atomic.Int64
	ctx := plugin.WithIdentity(t.Context(), func() plugin.Identity {
		asked.Add(1)
		return plugin.Identity{Session: "a"}
	})
	_, err := plugin.Fire(ctx, h, hookpoints.PreMessage, hookpoints.PreMessagePayload{})
	if err != nil || asked.Load() != 0 {
		t.Errorf("it was computed %d times for nobody, %v", asked.Load(), err)
	}
	if _, err := plugin.Fire(ctx, h, hookpoints.PreTool, call); err != nil {
		t.Error(err)
	}
	if _, err := plugin.Fire(ctx, h, hookpoints.PostTool, hookpoints.PostToolPayload{}); err != nil {
		t.Error(err)
	}
	h.Join(ctx)
	want := map[string]string{"plain pre_tool": "aa", "pure pre_tool": "aa", "pure2 pre_tool": "aa",
		"guard pre_tool": "aa",
		"first pre_tool": "aa", "second pre_tool": "aa", "plain post_tool": "aa", "async post_tool": "aa"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if id := plugin.IdentityOf(t.Context()); id != (plugin.Identity{}) || plugin.HasIdentity(t.Context()) {
		t.Errorf("without one: %+v", id)
	}
}

// TestAnAsyncEventKeepsItsIdentity when the conversation is another one meanwhile.
func TestAnAsyncEventKeepsItsIdentity(t *testing.T) {
	changed, told := make(chan struct{}), make(chan string, 1)
	h := &plugin.Host{Plugins: []plugin.Plugin{{Name: "async", Hooks: []hookpoints.Name{postTool},
		Async: []hookpoints.Name{postTool}, Handler: plugin.HandlerFunc(
			func(_ context.Context, ev plugin.Event) (plugin.Answer, error) {
				<-changed
				told <- ev.Identity().Session
				return plugin.Answer{}, nil
			})}}}
	session := "before"
	ctx := plugin.WithIdentity(t.Context(), func() plugin.Identity { return plugin.Identity{Session: session} })
	if _, err := plugin.Fire(ctx, h, hookpoints.PostTool, hookpoints.PostToolPayload{}); err != nil {
		t.Fatal(err)
	}
	session = "after"
	close(changed)
	if got := <-told; got != "before" {
		t.Errorf("it was told %q", got)
	}
	h.Join(ctx)
}
