package builtin

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chibi-host/chibi/tools"
)

// Recurse lets the model ask for another turn with a note to itself. The program bounds the
// number of such turns. The tool has no other effect.
type Recurse struct{}

// Spec describes the tool.
func (Recurse) Spec() tools.Spec {
	return tools.Spec{
		Name: "recurse",
		Description: "Continue working after this answer: starts another round, without waiting for the user, " +
			"with your note as its prompt. Use it for work that takes several steps.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"note":{"type":"string","minLength":1,` +
			`"description":"what to do next"}},"required":["note"]}`),
		Kind: tools.Builtin,
	}
}

// Call keeps the note about the next step.
func (Recurse) Call(_ context.Context, call tools.Call) (tools.Result, error) {
	var args struct {
		Note string `json:"note"`
	}
	if err := call.Decode(&args); err != nil {
		return tools.ErrorResult(err), nil
	}
	if args.Note == "" {
		return tools.ErrorResult(toolError(`argument "note" is missing`)), nil
	}
	return tools.Result{Text: fmt.Sprintf("Another round follows: %s", args.Note), Next: args.Note}, nil
}
