package bridge

import (
	"bytes"
	"encoding/json"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// Request is the payload of pre_api_request.
func (m There) Request() hookpoints.PreAPIRequestPayload {
	body := m.Values[engine.Request]
	if body == nil {
		body = json.RawMessage("{}")
	}
	return hookpoints.PreAPIRequestPayload{ContextName: m.In, RequestBody: body, Nesting: nesting(m.Moment)}
}

// OfRequest is the effect of an answer at pre_api_request: the members that it changes. If the agent shows chibi
// the request in the usual form, the effect also has the members that the answer takes out; otherwise the agent
// takes only changed members.
func (m There) OfRequest(at engine.Event, a hookpoints.PreAPIRequestAnswer) (e engine.Effect) {
	var before, after map[string]json.RawMessage
	if a.RequestBody == nil || strictjson.Decode(a.RequestBody, &after) != nil {
		return e
	}
	_ = strictjson.Decode(m.Values[engine.Request], &before) // without one, all is new
	for name := range before {
		if _, stays := after[name]; !stays && at.TakesRequests() {
			after[name] = json.RawMessage("null")
		}
	}
	for name, value := range after {
		if bytes.Equal(before[name], value) {
			delete(after, name)
		}
	}
	if len(after) > 0 {
		e.Request, _ = strictjson.Encode(after) // it was JSON
	}
	return e
}
