package engine

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Taker says what an agent takes of what plugins change at a moment.
type Taker struct {
	Dialect
	Event  Event
	Moment Moment
}

// writer is what writes it.
func (t Taker) writer() *writer {
	return &writer{Dialect: t.Event.of(t.Dialect), event: t.Event, moment: t.Moment}
}

// unchanged stands for what stays as it was.
const unchanged = "null"

// Prompt says what is lost of a changed prompt, "" if the agent sends it.
func (t Taker) Prompt() (lost string) {
	if t.writer().row(SetPrompt, "") != nil {
		return ""
	}
	return fmt.Sprintf("%s takes no changed prompt at %s", t.Title, t.Event.Name)
}

// Output says what is lost of a changed result of a tool, "" if the model sees it.
func (t Taker) Output(text string) (lost string) {
	if resultFor(t.writer(), text) != nil {
		return ""
	}
	return noOutput(t.Dialect, t.Event, t.Moment)
}

// Arguments says what comes of changed arguments: those with which the agent makes the call
// instead, null for those that the model wrote, and what is lost; "" if it takes the changed ones.
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
		return made, fmt.Sprintf("%.200q is not what chibi calls an argument of %.60q; the call is what %s makes of it",
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

// with returns the arguments of the call if the agent makes it with others, in chibi's names.
func (t Taker) with(input json.RawMessage) json.RawMessage {
	m := t.Moment.copied()
	m.There.Input, m.More = input, nil
	r := decoder{t.Event.of(t.Dialect), &m}
	r.takeCall()
	r.takeParts()
	return m.Values[ToolInput]
}
