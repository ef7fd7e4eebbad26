package engine

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Taker says which of the plugins' changes at a moment an agent takes.
type Taker struct {
	Dialect
	Event  Event
	Moment Moment
}

// writer returns a writer of answers at the moment.
func (t Taker) writer() *writer {
	return &writer{Dialect: t.Event.of(t.Dialect), event: t.Event, moment: t.Moment}
}

// unchanged stands for a value that stays as it was.
const unchanged = "null"

// Prompt says why a changed prompt is lost; "" if the agent sends it.
func (t Taker) Prompt() (lost string) {
	if t.writer().row(SetPrompt, "") != nil {
		return ""
	}
	return fmt.Sprintf("%s takes no changed prompt at %s", t.Title, t.Event.Name)
}

// Output says why a changed result of a tool is lost; "" if the model sees it.
func (t Taker) Output(text string) (lost string) {
	if resultFor(t.writer(), text) != nil {
		return ""
	}
	return noOutput(t.Dialect, t.Event, t.Moment)
}

// Arguments says what the agent does with changed arguments. If it takes them, lost is "". Otherwise lost says
// why not, and taken are the arguments of the call that the agent makes, null if they are the model's.
func (t Taker) Arguments(changed json.RawMessage) (taken json.RawMessage, lost string) {
	w, at, call := t.writer(), t.Event.Name, t.Moment.There
	whole, patch := w.row(SetInput, "") != nil, w.row(SetInputPatch, "") != nil
	const stays = "the call stays as the model made it"
	if !whole && !patch {
		return json.RawMessage(unchanged), fmt.Sprintf("%s takes no changed arguments at %s; %s", t.Title, at, stays)
	}
	theirs := t.Theirs(t.Moment, changed)
	if theirs == nil {
		return json.RawMessage(unchanged), fmt.Sprintf("%s does not take such a change of a call of %.60q at %s; %s", t.Title,
			call.Tool, at, stays)
	}
	run := theirs
	if !whole {
		run = Merged(call.Input, theirs)
	}
	made := t.with(run)
	if kept := missing(call.Input, theirs); !whole && len(kept) > 0 {
		return made, fmt.Sprintf("%s takes no arguments away at %s; the call keeps %.200q", t.Title, at,
			strings.Join(kept, ", "))
	}
	if own := missing(changed, made); !call.isPatch() && len(own) > 0 {
		return made, fmt.Sprintf("chibi knows no argument %.200q of %.60q; the call is as %s reads it",
			strings.Join(own, ", "), call.Tool, t.Title)
	}
	return nil, ""
}

// Made returns the arguments of the call that the agent makes after an answer, in chibi's names.
func (t Taker) Made(answer Effect) json.RawMessage {
	if answer.InputPatch {
		return t.with(Merged(t.Moment.There.Input, answer.Input))
	}
	return t.with(answer.Input)
}

// with returns the arguments of the call in chibi's names, if the agent makes it with input.
func (t Taker) with(input json.RawMessage) json.RawMessage {
	m := t.Moment.copied()
	m.There.Input, m.More = input, nil
	r := decoder{t.Event.of(t.Dialect), &m}
	r.takeCall()
	r.takeParts()
	return m.Values[ToolInput]
}
