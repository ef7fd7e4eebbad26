package plugin_test

import (
	"encoding/json"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/hookdoc"
	"github.com/chibi-host/chibi/plugin"
)

// FuzzAnswers holds that whatever two plugins answer at any point, the answers are
// combined to one that can be read, and that nothing they say undoes a block.
func FuzzAnswers(f *testing.F) {
	f.Add(`{"arguments": {"command": "ls", "a": {"b": [1]}}}`, `{"prompt": "hello", "message": "no"}`)
	f.Add(`{"block": "yes", "blok": true}`, `{"include": ["a"], "exclude": null}`)
	f.Add(`{"request_body": {"messages": null, "a": {"b": {}}}}`, `[]`)
	f.Fuzz(func(t *testing.T, first, second string) {
		fuzztest.Memory(t)
		var every []hookpoints.Name
		for _, info := range hookpoints.All() {
			every = append(every, info.Name)
		}
		var l log
		host := l.host(says("a", first, every...), says("b", second, every...))
		for _, info := range hookpoints.All() {
			answer, err := plugin.FireJSON(t.Context(), host, info, hookdoc.Example(info))
			if err != nil && info.Name != hookpoints.OnStart.Name || answer != nil && !json.Valid(answer) {
				t.Errorf("%s: %v, %q", info.Name, err, answer)
			}
		}
		host.Plugins = append(host.Plugins, guards(says("guard", `{"block": true}`, hookpoints.PreTool.Name)))
		verdict, err := plugin.Fire(t.Context(), host, hookpoints.PreTool,
			hookpoints.PreToolPayload{Arguments: json.RawMessage(`{}`)})
		if err != nil || !verdict.Block {
			t.Errorf("the guard's block is gone: %+v, %v", verdict, err)
		}
	})
}
