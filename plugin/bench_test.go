package plugin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
)

// BenchmarkFire1MB is what combining costs, without processes: a payload of 1 MB
// and Go handlers that each change so many keys. The floor is validating the
// payload once.
func BenchmarkFire1MB(b *testing.B) {
	body := largeBody()
	b.Run("floor=validate", func(b *testing.B) {
		for b.Loop() {
			if !strictjson.Valid(body) {
				b.Fatal("not JSON")
			}
		}
	})
	for _, handlers := range []int{1, 10} {
		for _, keys := range []int{1, 20} {
			b.Run(fmt.Sprintf("chain/handlers=%d/keys=%d", handlers, keys), func(b *testing.B) {
				host := &plugin.Host{Plugins: patching(handlers, keys)}
				for b.Loop() {
					answer, err := plugin.Fire(b.Context(), host, hookpoints.PreAPIRequest,
						hookpoints.PreAPIRequestPayload{RequestBody: body})
					if err != nil || len(answer.RequestBody) < len(body) {
						b.Fatal(len(answer.RequestBody), err)
					}
				}
			})
			b.Run(fmt.Sprintf("gather/handlers=%d/keys=%d", handlers, keys), func(b *testing.B) {
				host := &plugin.Host{Plugins: gathering(handlers, keys)}
				for b.Loop() {
					answer, err := plugin.Fire(b.Context(), host, widePoint, anything{Messages: body})
					if err != nil || answer.A == "" {
						b.Fatal(answer, err)
					}
				}
			})
		}
	}
}

// largeBody is the body of a long conversation, about 1 MB.
func largeBody() json.RawMessage {
	var messages []string
	for i := range 1000 {
		text, _ := json.Marshal(strings.Repeat(fmt.Sprintf("message %d, and more of it. ", i), 36))
		messages = append(messages, `{"role":"user","content":`+string(text)+`}`)
	}
	return json.RawMessage(`{"model":"m","messages":[` + strings.Join(messages, ",") + `],"temperature":0.7}`)
}

// patching are handlers that each set so many keys of a request, every key to a
// value of their own.
func patching(handlers, keys int) (plugins []plugin.Plugin) {
	for h := range handlers {
		patch := map[string]any{}
		for k := range keys {
			patch[fmt.Sprintf("key%d_%d", h, k)] = h + k
		}
		answer, _ := json.Marshal(map[string]any{"request_body": patch})
		plugins = append(plugins, replying(fmt.Sprintf("p%02d", h), answer, hookpoints.PreAPIRequest.Name))
	}
	return plugins
}

// wide is an embedder's point with many fields in its answer.
type wide struct {
	A string `json:"a,omitzero" merge:"join"`
	B string `json:"b,omitzero" merge:"join"`
	C string `json:"c,omitzero" merge:"join"`
	D string `json:"d,omitzero" merge:"join"`
	E string `json:"e,omitzero" merge:"join"`
	F string `json:"f,omitzero" merge:"join"`
	G string `json:"g,omitzero" merge:"join"`
	H string `json:"h,omitzero" merge:"join"`
	I string `json:"i,omitzero" merge:"join"`
	J string `json:"j,omitzero" merge:"join"`

	K []string `json:"k,omitzero" merge:"unite"`
	L []string `json:"l,omitzero" merge:"unite"`
	M []string `json:"m,omitzero" merge:"unite"`
	N []string `json:"n,omitzero" merge:"unite"`
	O []string `json:"o,omitzero" merge:"unite"`
	P []string `json:"p,omitzero" merge:"intersect"`
	Q []string `json:"q,omitzero" merge:"intersect"`
	R []string `json:"r,omitzero" merge:"intersect"`
	S string   `json:"s,omitzero" merge:"first"`
	T string   `json:"t,omitzero" merge:"first"`
}

type anything struct {
	Messages json.RawMessage `json:"messages"`
}

var widePoint = hookpoints.Point[anything, wide]{Name: "wide", Mode: hookpoints.Gather}

// gathering are handlers that each answer so many fields.
func gathering(handlers, keys int) (plugins []plugin.Plugin) {
	for h := range handlers {
		answer := map[string]any{}
		for _, f := range widePoint.Info().Fields[:keys] {
			switch f.Rule {
			case hookpoints.RuleUnite, hookpoints.RuleIntersect:
				answer[f.Name] = []string{"a", fmt.Sprint(h)}
			default:
				answer[f.Name] = fmt.Sprint("text of ", h)
			}
		}
		body, _ := json.Marshal(answer)
		plugins = append(plugins, replying(fmt.Sprintf("p%02d", h), body, "wide"))
	}
	return plugins
}

func replying(name string, answer json.RawMessage, point hookpoints.Name) plugin.Plugin {
	return plugin.Plugin{Name: name, Hooks: []hookpoints.Name{point}, Handler: plugin.HandlerFunc(
		func(context.Context, plugin.Event) (plugin.Answer, error) { return plugin.Answer{Body: answer}, nil })}
}
