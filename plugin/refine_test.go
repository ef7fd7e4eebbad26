package plugin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// sees is a plugin without an opinion that keeps what it receives.
func sees(name string, seen *[]string) plugin.Plugin {
	return plugin.Plugin{Name: name, Hooks: []hookpoints.Name{preTool}, Handler: plugin.HandlerFunc(
		func(_ context.Context, ev plugin.Event) (plugin.Answer, error) {
			var call hookpoints.PreToolPayload
			err := json.Unmarshal(ev.Payload, &call)
			*seen = append(*seen, name+": "+string(call.Arguments))
			return plugin.Answer{}, err
		})}
}

// TestWhatAPluginRewritesIsRefinedBeforeOthersSeeIt: the plugins behind it, the
// guards and the caller get the same.
func TestWhatAPluginRewritesIsRefinedBeforeOthersSeeIt(t *testing.T) {
	five := plugin.Refine{Field: "arguments", Value: func(value json.RawMessage) (json.RawMessage, string) {
		if !bytes.Contains(value, []byte(`"5"`)) {
			return nil, ""
		}
		return bytes.ReplaceAll(value, []byte(`"5"`), []byte(`5`)), "five became a number"
	}}
	other := plugin.Refine{Field: "tool_name", Value: func(json.RawMessage) (json.RawMessage, string) {
		return json.RawMessage(`"x"`), "not asked"
	}}
	for _, test := range []struct {
		name, answer, want string
		result             plugin.Result
		notes              []string
	}{
		{"it is refined", `{"arguments":{"n":"5","m":1}}`, `{"n":5,"m":1}`, plugin.Changed, []string{"five became a number"}},
		{"it stays as it is", `{"arguments":{"n":6}}`, `{"n":6}`, plugin.Changed, nil},
		{"what it becomes is what was there", `{"arguments":{"n":"5"}}`, ``, plugin.NoOpinion,
			[]string{"five became a number"}},
		{"nothing was rewritten", `{}`, ``, plugin.NoOpinion, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l log
			var seen []string
			host := l.host(says("rewrites", test.answer, preTool), sees("next", &seen), guards(sees("guard", &seen)))
			verdict, err := plugin.Fire(t.Context(), host, hookpoints.PreTool,
				hookpoints.PreToolPayload{ToolName: "t", Arguments: json.RawMessage(`{"n":5}`)}, other, five)
			if err != nil || string(verdict.Arguments) != test.want {
				t.Errorf("verdict = %s, %v; want %s", verdict.Arguments, err, test.want)
			}
			final := test.want
			if final == "" {
				final = `{"n":5}`
			}
			if diff := cmp.Diff([]string{"next: " + final, "guard: " + final}, seen); diff != "" {
				t.Errorf("seen (-want +got):\n%s", diff)
			}
			if r := l.records[0]; r.Result != test.result || !cmp.Equal(r.Notes, test.notes) {
				t.Errorf("record: %s, %q", r.Result, r.Notes)
			}
		})
	}
}

// TestGuardsAndTheCallerGetTheSameBytes: a value that was put back in another
// spelling is the one that the guards have seen.
func TestGuardsAndTheCallerGetTheSameBytes(t *testing.T) {
	for _, test := range []struct{ name, back, want string }{
		{"another spelling of the number", `{"arguments":{"n":1.0,"m":1}}`, `{"n":1.0,"m":1}`},
		{"another order", `{"arguments":{"m":1,"n":1}}`, `{"m":1,"n":1}`},
		{"as it was", `{"arguments":{"n":1,"m":1}}`, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l log
			var seen []string
			host := l.host(says("away", `{"arguments":{}}`, preTool), says("back", test.back, preTool),
				guards(sees("guard", &seen)))
			verdict, err := plugin.Fire(t.Context(), host, hookpoints.PreTool,
				hookpoints.PreToolPayload{ToolName: "t", Arguments: json.RawMessage(`{"n":1,"m":1}`)})
			if err != nil || string(verdict.Arguments) != test.want {
				t.Errorf("verdict = %s, %v; want %s", verdict.Arguments, err, test.want)
			}
			guarded := test.want
			if guarded == "" {
				guarded = `{"n":1,"m":1}`
			}
			if diff := cmp.Diff([]string{"guard: " + guarded}, seen); diff != "" {
				t.Errorf("seen (-want +got):\n%s", diff)
			}
		})
	}
}
