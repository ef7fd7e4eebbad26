package plugin_test

import (
	"context"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// TestPluginsOutOfTimeHaveFailed however they are asked, and a failure means there what it
// means elsewhere. What answers although the time is over has answered.
func TestPluginsOutOfTimeHaveFailed(t *testing.T) {
	asks := func(name string, handle plugin.HandlerFunc) plugin.Plugin {
		return plugin.Plugin{Name: name, Hooks: []hookpoints.Name{preTool}, Handler: handle}
	}
	slow := func(ctx context.Context, _ plugin.Event) (plugin.Answer, error) {
		<-ctx.Done()
		return plugin.Answer{}, ctx.Err()
	}
	strict := asks("strict", slow)
	strict.OnFailure = plugin.Block
	plugins := []plugin.Plugin{
		asks("slow", slow), pure(asks("pure", slow)), pure(asks("purer", slow)), {Name: "tools"},
		asks("quick", func(context.Context, plugin.Event) (plugin.Answer, error) {
			return plugin.Answer{Body: []byte(`{"arguments":{"a":2}}`)}, nil
		}), strict,
	}
	var why []string
	host := &plugin.Host{Plugins: plugin.Until(time.Now().Add(-time.Second), plugins),
		Trace: func(r plugin.Record) { why = append(why, r.Plugin+": "+string(r.Result)+" "+r.Why) }}
	verdict, err := plugin.Fire(t.Context(), host, hookpoints.PreTool,
		hookpoints.PreToolPayload{ToolName: "ls", Arguments: []byte(`{"a":1}`)})
	const late = " no answer before the time for this event was over"
	want := []string{"slow: failed" + late, "pure: failed" + late, "purer: failed" + late,
		"quick: changed ", "strict: failed" + late}
	if diff := cmp.Diff(want, why); diff != "" {
		t.Error(diff)
	}
	if err != nil || !verdict.Block || verdict.BlockedBy != "strict" {
		t.Errorf("verdict %+v, error %v", verdict, err)
	}
}
