package mcpserve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/internal/term/question"
	"github.com/chibi-host/chibi/permissions"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// asker asks the person at a client something.
type asker interface {
	// ask waits for the answer. Errors are the end of ctx, and [permissions.ErrNobody] if the
	// client cannot ask.
	ask(ctx context.Context, form *sdk.ElicitParams) (*sdk.ElicitResult, error)
}

// askerKey is the key of the asker in the context of a call.
type askerKey struct{}

func withAsker(ctx context.Context, a asker) context.Context {
	return context.WithValue(ctx, askerKey{}, a)
}

// cannotAsk says why a client's person is not asked.
const cannotAsk = permissions.Nobody("this MCP client cannot ask (it has no elicitation)")

// Ask asks the client to show a form. It does not ask what only a person at a terminal can allow: a
// client may answer by itself. Nor can the answer hold for longer than the session.
func (person) Ask(ctx context.Context, q permissions.Question) (permissions.Answer, error) {
	a, _ := ctx.Value(askerKey{}).(asker)
	if a == nil || q.Why.Protected || q.Why.Doubtful || q.Why.Changed != nil {
		return permissions.Answer{}, permissions.ErrNobody
	}
	result, err := a.ask(ctx, formOf(q))
	if err != nil {
		return permissions.Answer{}, err
	}
	return answerOf(q, result), nil
}

// The answers of a form.
const (
	allowOnce    = "allow once"
	allowSession = "allow for this session"
	deny         = "deny"
)

// formColumns is the width to which the texts of a form are divided.
const formColumns = 100

// formOf returns the form for a question.
func formOf(q permissions.Question) *sdk.ElicitParams {
	message := question.Text(q, formColumns)
	choices := []string{allowOnce, deny}
	if q.Rule != "" {
		choices = []string{allowOnce, allowSession, deny}
		message += "For this session, allow calls that match this rule:\n" + question.Block(q.Rule, formColumns)
	}
	list, _ := strictjson.Encode(choices) // these texts always encode
	return &sdk.ElicitParams{Mode: "form", Message: message, RequestedSchema: json.RawMessage(`{"type":"object",` +
		`"properties":{"decision":{"type":"string","title":"Decision","enum":` + string(list) + `},` +
		`"reason":{"type":"string","title":"Reason","description":"The reason that the model gets if you deny it"}},` +
		`"required":["decision"]}`)}
}

// answerOf interprets a form. Anything but a clear yes is no.
func answerOf(q permissions.Question, result *sdk.ElicitResult) permissions.Answer {
	if result.Action != "accept" {
		return permissions.Answer{}
	}
	reason, _ := result.Content["reason"].(string)
	switch result.Content["decision"] {
	case allowOnce:
		return permissions.Answer{Allow: true, Scope: permissions.Once}
	case allowSession:
		if q.Rule != "" {
			return permissions.Answer{Allow: true, Scope: permissions.ThisRun}
		}
	}
	return permissions.Answer{Reason: reason}
}

// canAsk reports whether a client can show forms. Those of the first version with elicitation
// do not say which kinds they can.
func canAsk(session *sdk.ServerSession) bool {
	init := session.InitializeParams()
	if init == nil || init.Capabilities == nil || init.Capabilities.Elicitation == nil {
		return false
	}
	can := init.Capabilities.Elicitation
	return can.Form != nil || can.URL == nil
}

// sessionAsker asks by a request of the server's own, one at a time.
type sessionAsker struct {
	session *sdk.ServerSession
	turn    chan struct{}
}

func (a sessionAsker) ask(ctx context.Context, form *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	if !canAsk(a.session) {
		return nil, cannotAsk
	}
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	result, err := a.session.Elicit(ctx, form)
	if err = cmp.Or(ctx.Err(), err); errors.Is(err, context.Canceled) {
		return nil, err
	}
	if err != nil {
		return nil, permissions.Nobody("the MCP client did not ask: " + err.Error())
	}
	return result, nil
}

// partsAsker asks by ending the request.
type partsAsker struct {
	call    *openCall
	session *sdk.ServerSession
}

func (a partsAsker) ask(ctx context.Context, form *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	if !canAsk(a.session) {
		return nil, cannotAsk
	}
	select {
	case a.call.asked <- form:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case answer := <-a.call.answer:
		return answer, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
