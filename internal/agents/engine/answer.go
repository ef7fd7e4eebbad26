package engine

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// objectOf returns the object that an output is.
// With quoted, it may be a string that holds the object.
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

// read reads an answer: each row that applies sets its member of the effect, the first of
// several that set the same one.
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
			v.eff.note("%s has no effect without %s", row.Path, lacks)
			continue
		}
		done[row.Set] = v.set(row, answer.Get(row.Path)) && row.Set != NoEffect && row.Set != Silent
	}
	if rest := v.event.rest(answer); len(rest) > 0 {
		v.eff.note("%s of %s knows no %s", v.event.Name, v.Title, strings.Join(rest, ", "))
	}
}

// applies reports whether a row is about an answer.
func (r Row) applies(answer gjson.Result) bool {
	value := answer.Get(r.Path)
	return value.Type != gjson.Null && (r.Is == "" || value.Raw == r.Is) && lacking(answer, r.When) == ""
}

// lacking returns the first of some conditions that an answer does not fulfil.
func lacking(answer gjson.Result, conditions []string) string {
	for _, c := range conditions {
		path, want, isValue := strings.Cut(c, "=")
		path, not := strings.CutPrefix(path, "!")
		value := answer.Get(path)
		holds := value.Type != gjson.Null && value.Raw != `""`
		if isValue {
			holds = value.Raw == want
		}
		if holds == not {
			return c
		}
	}
	return ""
}

// set sets the member of an effect that a row says. It reports whether the value was of the
// type that it must have.
func (v *verdict) set(row Row, value gjson.Result) bool {
	eff := &v.eff
	if wants := row.wants(); wants != "" && !isOf(value, wants) {
		eff.note("%s has no effect: it must be %s", row.Path, wants)
		return false
	}
	switch row.Set {
	case SetDecision:
		eff.Decision = hookpoints.Decision(row.To)
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
		eff.Request = neutralRequest(value)
	case SetInclude:
		eff.Include = geminiInclude(value)
	case Invalid:
		eff.Failed = fmt.Sprintf("its answer has %s: %s, which is not valid there", row.Path, clip.Text(value.Raw, 60))
	case NoEffect:
		eff.note("%s has no effect", row.Path)
	case Silent:
	default:
		eff.note("%s sets %q, which is no member of an effect", row.Path, row.Set)
	}
	return value.Raw != `""`
}

// note adds a sentence about what has no effect.
func (e *Effect) note(format string, args ...any) {
	e.Notes = append(e.Notes, fmt.Sprintf(format, args...))
}

// outputOf returns the text of a result that a hook wrote in the agent's shape, or as a
// string.
func (v *verdict) outputOf(value gjson.Result) *string {
	m := Moment{Values: map[Value]json.RawMessage{}, There: Call{Result: json.RawMessage(value.Raw)}}
	decoder{v.Dialect, &m}.takeResult()
	text := m.Text(ToolOutput)
	return &text
}

// NoMeaning is part of the note about an answer in the form of another agent.
const NoMeaning = "means nothing in a file of"

// foreignNote says that an answer is in the form of another agent; "" if it is not.
func foreignNote(d Dialect, e Event, out Outcome) string {
	title := d.Foreign(e, out)
	if title == "" {
		return ""
	}
	return "its answer is one for " + title + ", which " + NoMeaning + " " + d.Title + "; it has no opinion"
}

// Foreign says that a hook's answer is another agent's: that it means nothing at an event here,
// and something at the same moment there. It returns the title of that agent, "" if it is not.
func (d Dialect) Foreign(e Event, out Outcome) string {
	answer, isObject := objectOf(strings.TrimSpace(string(out.Stdout)), d.Quoted)
	if !isObject || says(d, e, answer) {
		return ""
	}
	for _, other := range All() {
		for _, there := range other.Events {
			if other.Name != d.Name && there.Kind == e.Kind && says(other, there, answer) {
				return other.Title
			}
		}
	}
	return ""
}

// says reports whether an answer says anything to an agent.
func says(d Dialect, at Event, answer gjson.Result) bool {
	v := verdict{Dialect: at.of(d), event: at}
	v.read(answer)
	e := v.eff
	return e.Failed == "" && (e.Decision != "" || e.Halt || e.Context != "" || e.Input != nil || e.Output != nil ||
		e.Prompt != nil || e.Request != nil || e.Include != nil || e.Env != nil)
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
