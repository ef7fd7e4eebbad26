package native_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
)

// TestNoAnswerIsLost asks many guards at once that all refuse. Where the machine has no time for
// whoever reads their answers, every one of them must count all the same: .ci/stress runs it with
// CHIBI_STRESS_ANSWERS answers on such a machine.
func TestNoAnswerIsLost(t *testing.T) {
	const guards = 48
	answers, _ := strconv.Atoi(os.Getenv("CHIBI_STRESS_ANSWERS"))
	f := newPluginDir(t)
	for i := range guards {
		schema := fmt.Sprintf(`{"name":"guard_%d","hooks":["pre_tool"],"guards":["pre_tool"]}`, i)
		f.plugin(fmt.Sprintf("guard-%02d", i), schema, `echo '{"block":true,"message":"no"}'`)
	}
	asked, lost := 0, 0
	for asked <= answers {
		loaded := f.load(native.Options{HookTimeout: time.Hour})
		lost += guards - len(loaded.Plugins)
		host := &plugin.Host{Plugins: loaded.Plugins, Parallel: guards, Trace: func(r plugin.Record) {
			asked++
			if r.AnswerBytes == 0 {
				lost++
				t.Logf("%+v", r)
			}
		}}
		answer, err := plugin.Fire(t.Context(), host, hookpoints.PreTool, hookpoints.PreToolPayload{ToolName: "x"})
		if err != nil || !answer.Block {
			t.Errorf("%+v, %v", answer, err)
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d answers and schemas were lost", lost, asked)
	}
}
