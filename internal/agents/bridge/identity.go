package bridge

import (
	"encoding/json"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
)

// identity is the conversation of the agent, for plugins that ask for it. It has no transcript: the agent's own has
// a different form, and hooks of other agents would take it for theirs.
func (r *run) identity() plugin.Identity {
	m := r.moment
	return plugin.Identity{Session: m.Text(engine.Session), Source: plugin.Source(m.Text(engine.Source)),
		Prompt: m.Text(engine.PromptID), Model: m.Text(engine.Model),
		Effort: m.Text(engine.Effort), Trusted: m.Text(engine.PermissionMode) == "trusted"}
}

// request is the request that an event is about: the agent's if it tells it, otherwise one with the last prompt.
func (r *run) request() json.RawMessage {
	if r.moment.Has(engine.Request) {
		return r.moment.Values[engine.Request]
	}
	body := llm.Request{Model: r.moment.Text(engine.Model)}
	if prompt := app.BridgedTraceOf(r.session).Prompt(); prompt != "" {
		body.Messages = []llm.Message{{Role: "user", Content: prompt}}
	}
	text, _ := body.Body() // it is texts
	return text
}
