package builtin

import (
	"context"
	"encoding/json"

	"github.com/chibi-host/chibi/tools"
)

// sendMessage lets the model write to another context.
type sendMessage struct{ post Post }

func (sendMessage) Spec() tools.Spec {
	return tools.Spec{
		Name: "send_message",
		Description: "Send a message to another context, that is, another named conversation with its own memory. " +
			"That context reads it with its next prompt.",
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"to":{"type":"string","description":"the name of the receiving context"},` +
			`"content":{"type":"string","minLength":1,"description":"the message"},` +
			`"from":{"type":"string","description":"who sends it; by default this context"}},"required":["to","content"]}`),
		Kind: tools.Builtin,
	}
}

func (s sendMessage) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	var args struct {
		From    string `json:"from"`
		To      string `json:"to"`
		Content string `json:"content"`
	}
	if err := call.Decode(&args); err != nil {
		return tools.ErrorResult(err), nil
	}
	result, err := s.post(ctx, args.From, args.To, args.Content)
	return tools.TextResult(ctx, result, err)
}
