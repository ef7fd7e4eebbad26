package plugin_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
)

// TestSoManyAreAskedAtOnce: the machine's cores do not matter. All of them are there before
// the first one answers, and no other is.
func TestSoManyAreAskedAtOnce(t *testing.T) {
	for parallel, want := range map[int]int{0: plugin.DefaultParallel(), -1: plugin.DefaultParallel(), 5: 5} {
		synctest.Test(t, func(t *testing.T) {
			all := want + 3
			begun, end := make(chan string, all), make(chan struct{})
			var plugins []plugin.Plugin
			for i := range all {
				name := fmt.Sprintf("p%03d", i)
				plugins = append(plugins, plugin.Plugin{Name: name, Hooks: []hookpoints.Name{postTool}, Handler: plugin.HandlerFunc(
					func(context.Context, plugin.Event) (plugin.Answer, error) {
						begun <- name
						<-end
						return plugin.Answer{}, nil
					})})
			}
			h := &plugin.Host{Plugins: plugins, Parallel: parallel}
			done := make(chan struct{})
			go func() {
				defer close(done)
				fire(t, h, hookpoints.PostTool, hookpoints.PostToolPayload{})
			}()
			synctest.Wait()
			if n := len(begun); n != want {
				t.Errorf("with %d, %d plugins are asked at once, want %d", parallel, n, want)
			}
			close(end)
			<-done
			if n := len(begun); n != all {
				t.Errorf("%d plugins were asked, want %d", n, all)
			}
		})
	}
}
