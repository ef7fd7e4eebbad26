package mcpserve_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/app"
)

// BenchmarkCall calls a plugin's tool as a client does, and in turns with that as
// "chibi tool call --hooks" does once it has started. x-call is the ratio of the shortest times:
// nearly all of both is the plugin's process, whose time differs from call to call.
func BenchmarkCall(b *testing.B) {
	h := newHome(b, map[string]string{"hello": `[ "$1" = --schema ] && echo '{"name": "hello"}' && exit
echo hi`})
	h.start()
	client := h.connect(b, transports[0], versions[0], nil)
	direct, err := app.Open(b.Context(), h.opts)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(direct.Close)
	served, called := time.Hour, time.Hour
	for b.Loop() {
		served = min(served, timeOf(func() { call(b, client, "hello", nil) }))
		called = min(called, timeOf(func() {
			_, failure, err := direct.Agent.CallTool(b.Context(), "hello", json.RawMessage("{}"))
			if err != nil || failure != "" {
				b.Fatal(failure, err)
			}
		}))
	}
	b.ReportMetric(float64(served)/float64(called), "x-call")
}

func timeOf(do func()) time.Duration {
	begun := time.Now()
	do()
	return time.Since(begun)
}
