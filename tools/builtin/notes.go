package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/chibi-host/chibi/tools"
)

// note is a tool that replaces one of the model's texts. Names and texts are as in the original
// chibi.
type note struct {
	name, description string
	done              string // the result, before the size
	limit             int    // in characters; 0: none
	set               func(string) error
}

func todos(n Notes) note {
	return note{
		name: "update_todos", done: "Todos updated", set: func(text string) error { return n.SetTodos(text) },
		description: "Replace this conversation's list of todos with the given text. You are shown the list with every " +
			"request, so keep it complete and current; an empty text clears it.",
	}
}

func goals(n Notes) note {
	return note{
		name: "update_goals", done: "Goals updated", set: func(text string) error { return n.SetGoals(text) },
		description: "Replace this conversation's goals with the given text: what the work is for, in a few lines. " +
			"You are shown them with every request; an empty text clears them.",
	}
}

func reflection(n Notes, limit int) note {
	return note{
		name: "update_reflection", done: "Reflection updated successfully", limit: limit,
		set: func(text string) error { return n.SetReflection(text) },
		description: "Replace your reflection with the given text: lasting notes to yourself about how you work with this " +
			"person. You are shown it in every conversation, so say only what matters everywhere.",
	}
}

func (n note) Spec() tools.Spec {
	return tools.Spec{
		Name: n.name, Description: n.description, Kind: tools.Builtin, OfContext: true,
		Parameters: json.RawMessage(`{"type":"object","properties":{"content":{"type":"string",` +
			`"description":"the whole new text"}},"required":["content"]}`),
	}
}

func (n note) Call(_ context.Context, call tools.Call) (tools.Result, error) {
	var args struct {
		Content string `json:"content"`
	}
	if err := call.Decode(&args); err != nil {
		return tools.ErrorResult(err), nil
	}
	length := utf8.RuneCountInString(args.Content)
	if n.limit > 0 && length > n.limit {
		const text = "Error: Content exceeds the %d character limit (%d characters provided). Please shorten your reflection."
		return tools.Result{Text: fmt.Sprintf(text, n.limit, length), Failed: true}, nil
	}
	if err := n.set(args.Content); err != nil {
		return tools.ErrorResult(err), nil
	}
	return tools.Result{Text: fmt.Sprintf("%s (%d characters).", n.done, length)}, nil
}
