package engine

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// objectOf reads an output as a JSON object. With quoted, the output may be a string that holds the object.
func objectOf(output string, quoted bool) (answer gjson.Result, isObject bool) {
	if !strings.HasPrefix(output, "{") && !(quoted && strings.HasPrefix(output, `"`)) {
		return gjson.Result{}, false
	}
	plain, err := strictjson.Normalize([]byte(output))
	if err != nil {
		return gjson.Result{}, false
	}
	if plain[0] == '"' {
		inner := gjson.ParseBytes(plain).Str
		if plain, err = strictjson.Normalize([]byte(inner)); err != nil || plain[0] != '{' {
			return gjson.Result{}, false
		}
	}
	return gjson.ParseBytes(plain), true
}

// read reads an answer. Each row that applies sets its member of the effect; of rows that set the same member,
// the first one that has a value counts.
func (v *verdict) read(answer gjson.Result) {
	if v.Typed || v.Strict {
		if wrong := v.wrong(answer); wrong != "" {
			v.eff.Failed = "its answer " + wrong
			return
		}
	}
	done := map[Member]bool{}
	for _, row := range v.event.Rows {
		if row.Writes || !row.applies(answer) || done[row.Set] {
			continue
		}
		if lacks := lacking(answer, row.Needs); lacks != "" {
			v.eff.Note("%s has no effect without %s", row.Path, lacks)
			continue
		}
		done[row.Set] = v.set(row, answer.Get(row.Path)) && row.Set != NoEffect && row.Set != Silent
	}
	if rest := v.event.rest(answer); len(rest) > 0 {
		v.eff.Note("%s of %s knows no %s", v.event.Name, v.Title, strings.Join(rest, ", "))
	}
}

// set sets the row's member of the effect. It returns false for a value of the wrong type and for an empty
// string.
func (v *verdict) set(row Row, value gjson.Result) bool {
	eff := &v.eff
	if wants := row.wants(); wants != "" && !isOf(value, wants) {
		eff.Note("%s has no effect: it must be %s", row.Path, wants)
		return false
	}
	switch row.Set {
	case SetDecision:
		eff.Decision = row.To
	case SetReason:
		eff.Reason = value.Str
	case SetHalt:
		eff.Halt = true
	case SetHaltReason:
		eff.HaltReason = value.Str
	case SetContext:
		eff.Context = textOf(value)
	case SetSystemMessage:
		eff.SystemMessage = value.Str
	case SetInput, SetInputPatch:
		eff.Input, eff.InputPatch = objectIn(value), row.Set == SetInputPatch
	case SetOutput:
		eff.Output = v.outputOf(value)
	case SetPrompt:
		eff.Prompt = &value.Str
	case SetEnv:
		eff.Env = texts(value)
	case SetRequest:
		eff.Request = ofForm(v.Own, row.Form, json.RawMessage(value.Raw))
	case SetInclude:
		_ = strictjson.Decode(ofForm(v.Own, row.Form, json.RawMessage(value.Raw)), &eff.Include)
	case Invalid:
		eff.Failed = fmt.Sprintf("its answer has %s: %s, which is not valid there", row.Path, clip.Text(value.Raw, 60))
	case NoEffect:
		eff.Note("%s has no effect", row.Path)
	case Silent:
	default:
		eff.Note("%s sets %q, which is not a member of an effect", row.Path, row.Set)
	}
	return value.Raw != `""`
}

// outputOf returns the text of a result that a hook wrote in the agent's shape, or as a
// string.
func (v *verdict) outputOf(value gjson.Result) *string {
	m := Moment{Values: map[Value]json.RawMessage{}, There: Call{Result: json.RawMessage(value.Raw)}}
	decoder{v.Dialect, &m}.takeResult()
	text := m.Text(ToolOutput)
	return &text
}

// AnswerIn reads standard output as a JSON object.
func (d Dialect) AnswerIn(stdout []byte) (answer gjson.Result, isObject bool) {
	return objectOf(strings.TrimSpace(string(stdout)), d.Quoted)
}

// Says reports whether an answer says anything to the agent at an event, and whether the agent knows all of it, with
// or without an effect.
func (d Dialect) Says(at Event, answer gjson.Result) (says, isKnown bool) {
	v := verdict{Dialect: at.of(d), event: at}
	v.read(answer)
	e := v.eff
	says = e.Decision != "" || e.Halt || e.Context != "" || e.Input != nil || e.Output != nil || e.Prompt != nil ||
		e.Request != nil || e.Include != nil || e.Env != nil
	return says && e.Failed == "", e.Failed == "" && len(e.Notes) == 0
}

// texts returns the members of an object that are strings.
func texts(value gjson.Result) map[string]string {
	all := map[string]string{}
	value.ForEach(func(key, value gjson.Result) bool {
		if value.Type == gjson.String {
			all[key.Str] = value.Str
		}
		return true
	})
	return all
}
