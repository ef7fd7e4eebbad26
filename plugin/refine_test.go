package plugin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
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

// TestWhatIsLostOfARewriteIsNoChange: where less comes of a rewrite than the plugin asks for, those
// behind it and the caller get what does come of it, the person is told, and a plugin whose failure
// blocks has failed.
func TestWhatIsLostOfARewriteIsNoChange(t *testing.T) {
	lossy := plugin.Refine{Field: "arguments", Loses: true, Value: func(value json.RawMessage) (json.RawMessage, string) {
		switch {
		case bytes.Contains(value, []byte("none")):
			return json.RawMessage("null"), "nothing is taken"
		case bytes.Contains(value, []byte("half")):
			return json.RawMessage(`{"half":1}`), "half is taken"
		}
		return nil, ""
	}}
	for _, test := range []struct {
		name, answer, want string
		failure            plugin.Failure
		result             plugin.Result
		told               string
		blocked            bool
	}{
		{name: "all is taken", answer: `{"arguments":{"n":6}}`, want: `{"n":6}`, result: plugin.Changed},
		{name: "nothing", answer: `{"arguments":{"none":1}}`, result: plugin.Ignored, told: "nothing is taken"},
		{name: "nothing but a context", answer: `{"arguments":{"none":1},"context":"c"}`, result: plugin.Added,
			told: "nothing is taken"},
		{name: "nothing, with an approval", answer: `{"arguments":{"none":1},"decision":"allow"}`, result: plugin.Ignored,
			told: "nothing is taken"},
		{name: "a part", answer: `{"arguments":{"half":1,"n":1}}`, want: `{"half":1}`, result: plugin.Changed,
			told: "half is taken"},
		{name: "what was there", answer: `{"arguments":{"n":5}}`, failure: plugin.Block, result: plugin.NoOpinion},
		{name: "no value", answer: `{"arguments":null}`, failure: plugin.Block, result: plugin.NoOpinion},
		{name: "it must not be lost", answer: `{"arguments":{"none":1}}`, failure: plugin.Block, result: plugin.Failed,
			told: "nothing is taken; blocked, as its on_failure asks for", blocked: true},
		{name: "it blocks anyway", answer: `{"arguments":{"none":1},"block":true}`, failure: plugin.Block,
			result: plugin.Blocked, blocked: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l log
			var seen []string
			rewrites := says("rewrites", test.answer, preTool)
			rewrites.OnFailure = test.failure
			host := l.host(rewrites, guards(sees("guard", &seen)))
			verdict, err := plugin.Fire(t.Context(), host, hookpoints.PreTool,
				hookpoints.PreToolPayload{ToolName: "t", Arguments: json.RawMessage(`{"n":5}`)}, lossy)
			if err != nil || string(verdict.Arguments) != test.want || verdict.Block != test.blocked || verdict.Decision != "" {
				t.Errorf("verdict = %+v, %v", verdict, err)
			}
			judged := []string{"guard: " + test.want}
			switch {
			case test.blocked:
				judged = nil
			case test.want == "":
				judged = []string{`guard: {"n":5}`}
			}
			if diff := cmp.Diff(judged, seen); diff != "" {
				t.Errorf("judged (-want +got):\n%s", diff)
			}
			told := strings.TrimPrefix(strings.Join(l.notices, "\n"), `plugin "rewrites" at pre_tool: `)
			if r := l.records[0]; r.Result != test.result || told != test.told {
				t.Errorf("record: %s, %q, told %q", r.Result, r.Notes, told)
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
