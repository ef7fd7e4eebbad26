package engine

import (
	"bytes"
	"encoding/json"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// Request is the payload of pre_api_request.
func (m There) Request() hookpoints.PreAPIRequestPayload {
	body := m.Values[Request]
	if body == nil {
		body = json.RawMessage("{}")
	}
	return hookpoints.PreAPIRequestPayload{ContextName: m.In, RequestBody: body, Nesting: m.nesting()}
}

// OfRequest is the effect of an answer at pre_api_request: the members that it changes. What it
// removes stays, as agents take only what is to be different.
func (m There) OfRequest(a hookpoints.PreAPIRequestAnswer) (e Effect) {
	var before, after map[string]json.RawMessage
	if a.RequestBody == nil || strictjson.Decode(a.RequestBody, &after) != nil {
		return e
	}
	_ = strictjson.Decode(m.Values[Request], &before) // without one, all is new
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

// PostTurn is the payload of post_turn. Agents say neither how many responses there were nor
// which tools this one calls.
func (m There) PostTurn() hookpoints.PostTurnPayload {
	return hookpoints.PostTurnPayload{ContextName: m.In, TurnNumber: 1, Response: m.Text(Response), ToolsUsed: []string{},
		Messages: []hookpoints.ChatMessage{{Role: "assistant", Content: m.Text(Response)}}, Nesting: m.nesting()}
}

// OfTurn is the effect of an answer at post_turn.
func OfTurn(a hookpoints.PostTurnAnswer) (e Effect) {
	if a.Messages != nil || a.Recipe != "" {
		e.Notes = append(e.Notes, "messages and recipe at post_turn have no effect in another agent: its conversation is "+
			"its own")
	}
	if a.Halt {
		e.Halt, e.HaltReason = true, a.Message
	}
	return e
}
