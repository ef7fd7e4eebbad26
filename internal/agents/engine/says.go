package engine

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// Does says in a few words what a member of an answer does; "" if it does nothing by itself.
func (m Member) Does(to hookpoints.Decision) string {
	switch m {
	case SetDecision:
		return string(to)
	case SetHalt:
		return "ends the turn"
	case SetContext:
		return "tells the model"
	case SetSystemMessage:
		return ToPerson
	case SetInput, SetInputPatch:
		return "rewrites arguments"
	case SetOutput:
		return "replaces the result"
	case SetPrompt:
		return "replaces the prompt"
	case SetEnv:
		return "sets variables"
	case SetRequest:
		return "changes the request"
	case SetInclude:
		return "selects tools"
	}
	return ""
}

// ToPerson is what a message for the person does.
const ToPerson = "tells you"

// Does lists what an effect does at a kind of moment, in the words of [Member.Does]. A denial that keeps
// nothing from happening appears as its real effect.
func (e Effect) Does(k Kind) (list []string) {
	say := func(is bool, m Member, to hookpoints.Decision) {
		if text := m.Does(to); is && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	switch {
	case e.Decision != hookpoints.DecisionDeny:
		say(e.Decision != "", SetDecision, e.Decision)
	case k == Stop:
		list = append(list, "makes it go on")
	case k == AfterResponse || k == AfterBatch:
		say(true, SetHalt, "")
	case e.OutputReplaced:
		say(true, SetOutput, "")
	case k == AfterTool || k == ToolSucceeded || k == ToolFailed:
		say(true, SetContext, "")
	default:
		say(true, SetDecision, e.Decision)
	}
	say(e.Halt, SetHalt, "")
	say(e.Input != nil, SetInput, "")
	say(e.Output != nil, SetOutput, "")
	say(e.Prompt != nil, SetPrompt, "")
	say(e.Request != nil, SetRequest, "")
	say(e.Include != nil, SetInclude, "")
	say(len(e.Env) > 0, SetEnv, "")
	say(e.Context != "", SetContext, "")
	say(e.SystemMessage != "", SetSystemMessage, "")
	return list
}

// Says lists the rows of an event by which its hooks say something, in their order.
func (e Event) Says() (rows []Row) {
	for _, row := range e.Rows {
		if row.Set.Does(row.To) != "" && !row.Writes {
			rows = append(rows, row)
		}
	}
	return rows
}

// The words of made-up answers: a hook that rewrites a call puts Said where the call has Tried, and each text
// of its own is Said.
const (
	Tried = "tried"
	Said  = "said"
)

// Saying makes up an answer of a hook that has only the meaning of a row: the member, its needs and a reason.
func (t Taker) Saying(row Row) []byte {
	w := t.writer()
	w.answer = []byte("{}")
	w.say(row)
	switch row.Set {
	case SetDecision:
		w.sayWhy(SetReason, row)
	case SetHalt:
		w.sayWhy(SetHaltReason, row)
	}
	return w.answer
}

// say adds the member of a row, and its needs.
func (w *writer) say(row Row) {
	if gjson.GetBytes(w.answer, row.Path).Exists() {
		return
	}
	w.put(row.Path, w.made(row))
	for _, c := range append(w.needs(row), row.When...) {
		isIt := func(r Row) bool { return r.Path == c.Path && !r.Writes }
		switch i := slices.IndexFunc(w.event.Rows, isIt); {
		case c.IsNot:
		case c.Value != "":
			w.put(c.Path, json.RawMessage(c.Value))
		case i >= 0:
			w.say(w.event.Rows[i])
		}
	}
}

// sayWhy adds a reason for a row, unless there is one: the reason beside the member, otherwise the first that
// counts.
func (w *writer) sayWhy(as Member, row Row) {
	object := row.Path[:strings.LastIndexByte(row.Path, '.')+1]
	for _, isNear := range []bool{true, false} {
		for _, r := range w.event.Rows {
			answer := gjson.ParseBytes(w.answer)
			counts := r.Set == as && !r.Writes && lacking(answer, r.When) == "" && lacking(answer, r.Needs) == ""
			isBeside := r.Path[:strings.LastIndexByte(r.Path, '.')+1] == object
			if counts && isBeside == isNear {
				w.say(r)
				return
			}
		}
	}
}

// made makes up a value of a row's member.
func (w *writer) made(row Row) json.RawMessage {
	said := json.RawMessage(strictjson.Quote(Said))
	switch {
	case row.Is != "":
		return json.RawMessage(row.Is)
	case row.Set == SetInput:
		return bytes.ReplaceAll(w.moment.There.Input, []byte(Tried), []byte(Said))
	case row.Set == SetInputPatch:
		return w.changed()
	case row.Set == SetOutput:
		if value := w.outputIn(row.Form, Said); value != nil {
			return value
		}
	case row.Set == SetEnv:
		return json.RawMessage(`{"SAID":"said"}`)
	case row.Set == SetRequest:
		return inForm(w.Own, row.Form, w.moment, json.RawMessage(`{"temperature":0.5}`))
	case row.Set == SetInclude:
		return inForm(w.Own, row.Form, w.moment, json.RawMessage(`["said"]`))
	}
	return said
}

// changed are the arguments that a hook changes.
func (w *writer) changed() json.RawMessage {
	changed := []byte("{}")
	gjson.ParseBytes(w.moment.There.Input).ForEach(func(name, value gjson.Result) bool {
		if strings.Contains(value.Raw, Tried) {
			whole := writer{answer: changed}
			whole.put(gjson.Escape(name.Str), json.RawMessage(strings.ReplaceAll(value.Raw, Tried, Said)))
			changed = whole.answer
		}
		return true
	})
	return changed
}
