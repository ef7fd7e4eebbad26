package native_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/plugintest"
)

func TestConformance(t *testing.T) {
	plugintest.Run(t, plugintest.Protocol{
		New: func(t *testing.T, name, body string, timeout time.Duration) plugin.Plugin {
			f := newPluginDir(t).plugin(name, fmt.Sprintf(`{"name":%q,"hooks":["pre_tool"]}`, name), body)
			loaded := f.load(native.Options{HookTimeout: timeout, ProbeTimeout: time.Minute})
			if len(loaded.Plugins) != 1 {
				t.Fatalf("left out: %+v", loaded.LeftOut)
			}
			return loaded.Plugins[0]
		},
		Block: func(message string) string {
			quoted, _ := json.Marshal(message)
			return fmt.Sprintf(`{"block":true,"message":%s}`, quoted)
		},
		Rewrite: func(arguments string) string { return fmt.Sprintf(`{"arguments":%s}`, arguments) },
	})
}
