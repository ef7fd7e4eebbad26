package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/merge"
	"github.com/tidwall/gjson"
)

// readClosely reads a body that read does not accept as it is: it may be empty, not an
// object, or have unknown fields, fields of wrong types, or fields that nest too deeply.
func (r *reply) readClosely(answer Answer) {
	body := bytes.TrimSpace(answer.Body)
	if len(body) == 0 {
		return
	}
	body, err := strictjson.Normalize(body)
	if err != nil || body[0] != '{' {
		r.unreadable(notAnObject(answer, err))
		return
	}
	if string(body) == "{}" {
		return
	}
	if err := check(r.dispatch.info, body); err != nil {
		r.unreadable(wrongField(err))
		return
	}
	if err := tooDeep(r.dispatch.info, body); err != nil {
		r.unreadable(err.Error())
		return
	}
	r.body, r.record.Answer = body, body
	if r.dispatch.info.Mode != hookpoints.Observe {
		r.noteUnknown()
	}
}

// wrongField returns that a field of an answer has the wrong type or an unknown value.
func wrongField(err error) string {
	var wrong *strictjson.TypeError
	if errors.As(err, &wrong) {
		return "its answer has a field of the wrong type: " + err.Error()
	}
	return "its answer has a field with an unknown value: " + err.Error()
}

// notAnObject returns why an answer's body is not a JSON object.
func notAnObject(answer Answer, err error) string {
	switch {
	case answer.Explain != nil:
		return answer.Explain(bytes.TrimSpace(answer.Body))
	case errors.Is(err, strictjson.ErrDepth):
		return "its answer cannot be read: " + err.Error()
	}
	return "its answer is not a JSON object"
}

// tooDeep returns an error if an answer would make the payload nest deeper than later
// subscribers can read: a guard that cannot read the payload has no opinion.
func tooDeep(info hookpoints.Info, answer []byte) error {
	for _, f := range info.Fields {
		value := gjson.GetBytes(answer, gjson.Escape(f.Name))
		if f.Rule != hookpoints.RuleReplace || !value.Exists() {
			continue
		}
		if err := strictjson.CheckDepth([]byte(value.Raw), strictjson.MaxArgumentDepth); err != nil {
			return fmt.Errorf("its %q cannot be used: %w", f.Name, err)
		}
	}
	return nil
}

// check returns an error if a field of an answer does not have the type that the point
// specifies.
func check(info hookpoints.Info, answer []byte) error {
	return strictjson.Decode(answer, reflect.New(info.Answer).Interface())
}

// nameAuthors sets the names of the plugins that made a verdict, if it has methods for
// them.
func nameAuthors(verdict any, result merge.Result) {
	if v, ok := verdict.(interface{ SetBlockedBy(string) }); ok {
		v.SetBlockedBy(result.BlockedBy)
	}
	if v, ok := verdict.(interface{ SetDecidedBy(string) }); ok {
		v.SetDecidedBy(result.DecidedBy)
	}
	if v, ok := verdict.(interface{ SetTexts([]hookpoints.Text) }); ok {
		v.SetTexts(result.Texts)
	}
	if v, ok := verdict.(interface{ SetHalted(hookpoints.Halted) }); ok {
		v.SetHalted(result.Halted)
	}
	if v, ok := verdict.(interface{ SetAppendedBy([]string) }); ok {
		v.SetAppendedBy(result.AppendedBy)
	}
}

// remark adds a sentence to the record.
func (r *reply) remark(note string) { r.record.Notes = append(r.record.Notes, note) }

// takeNote adds a note of the merge to the record.
func (r *reply) takeNote(note merge.Note) {
	r.remark(note.Text)
	if note.Kind != "" {
		none := make([]merge.NoteKind, len(r.record.Notes)-1-len(r.record.NoteKinds))
		r.record.NoteKinds = append(append(r.record.NoteKinds, none...), note.Kind)
	}
	if note.Ignored {
		r.notices = append(r.notices, note.Text+"; ignored")
	}
}

// fired reports the dispatch as a whole.
func (d *dispatch) fired(ctx context.Context, result merge.Result) {
	d.host.Fired(Firing{
		Dispatch: d.id, Agent: agentIn(ctx), Point: d.info.Name,
		Payload: d.payload, Final: d.merged.Next(), Answer: result.Answer,
	})
}
