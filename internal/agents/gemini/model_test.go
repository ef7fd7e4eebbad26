package gemini_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/tidwall/gjson"
)

// body is the body of a request of chibi with a call and its result.
const body = `{"model":"m","temperature":0.5,"max_tokens":9,"messages":[` +
	`{"role":"system","content":"be brief"},{"role":"user","content":[{"type":"text","text":"hi"}]},` +
	`{"role":"assistant","content":null,"tool_calls":[{"id":"c"}]},{"role":"tool","content":"out"},` +
	`{"role":"assistant","content":"done"}],"tools":[{"type":"function"}]}`

func TestARequestIsTextsAndSettingsToGemini(t *testing.T) {
	gemini, _ := agents.ByName("gemini")
	event, _ := gemini.Event("BeforeModel")
	m := engine.Moment{Values: map[engine.Value]json.RawMessage{engine.Request: json.RawMessage(body)}}
	line, err := gemini.Payload(event, m)
	want := `{"model":"m","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"},` +
		`{"role":"model","content":"done"}],"config":{"temperature":0.5,"maxOutputTokens":9}}`
	if got := gjson.GetBytes(line, "llm_request").Raw; err != nil || got != want {
		t.Errorf("%s\nwant %s\n%v", got, want, err)
	}
}

func TestWhatAHookOfGeminiMakesOfARequest(t *testing.T) {
	gemini, _ := agents.ByName("gemini")
	event, _ := gemini.Event("BeforeModel")
	m := engine.Moment{Values: map[engine.Value]json.RawMessage{engine.Request: json.RawMessage(body)}}
	changed := strings.Replace(body, `"content":[{"type":"text","text":"hi"}]`, `"content":"HI"`, 1)
	for name, test := range map[string]struct{ request, want, note string }{
		"a setting": {request: `{"config":{"temperature":1}}`, want: `{"temperature":1}`},
		"the same texts": {request: `{"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"},` +
			`{"role":"model","content":"done"}]}`},
		"one text": {request: `{"model":"n","messages":[{"role":"system","content":"be brief"},` +
			`{"role":"user","content":"HI"},{"role":"model","content":"done"}]}`,
			want: `{"model":"n","messages":` + gjson.Get(changed, "messages").Raw + `}`},
		"fewer messages": {request: `{"messages":[{"role":"user","content":"be brief"}]}`,
			note: "it got 3 messages and returns 1; a hook can neither add nor remove messages, so chibi changes only texts"},
	} {
		t.Run(name, func(t *testing.T) {
			eff := gemini.Effect(event, engine.Outcome{
				Stdout: []byte(`{"hookSpecificOutput":{"llm_request":` + test.request + `}}`)})
			patch, notes := m.RequestPatch(eff)
			if string(patch) != test.want || strings.Join(notes, "; ") != test.note {
				t.Errorf("%s\nwant %s\n%q", patch, test.want, notes)
			}
		})
	}
}

func TestAToolSelectionOfGemini(t *testing.T) {
	gemini, _ := agents.ByName("gemini")
	event, _ := gemini.Event("BeforeToolSelection")
	for config, want := range map[string][]string{
		`{"mode":"AUTO"}`: nil, `{}`: nil, `{"mode":"NONE","allowedFunctionNames":["a"]}`: {},
		`{"mode":"ANY","allowedFunctionNames":["glob","replace"]}`: {"glob", "replace"},
	} {
		eff := gemini.Effect(event, engine.Outcome{Stdout: []byte(`{"hookSpecificOutput":{"toolConfig":` + config + `}}`)})
		if (eff.Include == nil) != (want == nil) || strings.Join(eff.Include, " ") != strings.Join(want, " ") {
			t.Errorf("%s includes %q, want %q", config, eff.Include, want)
		}
	}
}
