package native_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/plugintest"
)

func TestConformance(t *testing.T) {
	subscribed := func(t *testing.T, hook hookpoints.Name, name, body string) native.Options {
		return native.Options{ProbeTimeout: time.Minute, HookTimeout: time.Minute,
			Dir: newPluginDir(t).plugin(name, fmt.Sprintf(`{"name":%q,"hooks":[%q]}`, name, hook), body).dir}
	}
	load := func(t *testing.T, opts native.Options) plugin.Plugin {
		loaded, err := native.Load(t.Context(), opts)
		if err != nil || len(loaded.Plugins) != 1 {
			t.Fatalf("left out: %+v, %v", loaded.Skipped, err)
		}
		return loaded.Plugins[0]
	}
	at := func(info hookpoints.Info, payload, answer string) *plugintest.Point {
		return &plugintest.Point{Info: info, Payload: payload,
			New: func(t *testing.T, name, body string) plugin.Plugin {
				return load(t, subscribed(t, info.Name, name, body))
			},
			Answer: func(text string) string { return fmt.Sprintf(answer, text) },
		}
	}
	plugintest.Run(t, plugintest.Protocol{
		New: func(t *testing.T, name, body string, timeout time.Duration) plugin.Plugin {
			opts := subscribed(t, hookpoints.PreTool.Name, name, body)
			opts.HookTimeout = timeout
			return load(t, opts)
		},
		Gather:  at(hookpoints.PreSystemPrompt.Info(), `{"current_prompt":"p"}`, `{"inject":%q}`),
		Observe: at(hookpoints.PostMessage.Info(), `{"prompt":"p"}`, `{"prompt":%q}`),
		Claim:   at(hookpoints.PreSendMessage.Info(), `{"to":"t"}`, `{"delivered":true,"via":%q}`),
		Block: func(message string) string {
			quoted, _ := json.Marshal(message)
			return fmt.Sprintf(`{"block":true,"message":%s}`, quoted)
		},
		Rewrite: func(arguments string) string { return fmt.Sprintf(`{"arguments":%s}`, arguments) },
	})
}
