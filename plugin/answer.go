package plugin

import (
	"context"
	"errors"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/merge"
)

// readClosely reads a body that read does not accept as it is: it may be empty, not an
// object, or have unknown fields, or fields that cannot be used. A refusal stands, whatever is
// beside it.
func (r *reply) readClosely(answer Answer) {
	body := strictjson.Trim(answer.Body)
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
	usable, why := usable(r.dispatch.info, body)
	switch {
	case why == "":
	case !merge.Blocks(r.dispatch.info, usable):
		r.unreadable(why)
		return
	default:
		r.remark(why)
	}
	r.body, r.record.Answer = usable, body
	if r.dispatch.info.Mode != hookpoints.Observe {
		r.noteUnknown()
	}
}

// notAnObject returns why an answer's body is not a JSON object.
func notAnObject(answer Answer, err error) string {
	switch {
	case answer.Explain != nil:
		return answer.Explain(strictjson.Trim(answer.Body))
	case errors.Is(err, strictjson.ErrDepth):
		return "its answer cannot be read: " + err.Error()
	}
	return "its answer is not a JSON object"
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
	if v, ok := verdict.(interface{ SetFirstBy(map[string]string) }); ok {
		v.SetFirstBy(result.FirstBy)
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

// takeNote adds a note of the merge to the record. What is not in a payload that lists a part may
// be there all the same.
func (r *reply) takeNote(ctx context.Context, note merge.Note) {
	if note.Kind == merge.NoteNotOffered && ctx.Value(partKey{}) != nil {
		return
	}
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
	harmless := !slices.ContainsFunc(d.replies, func(r *reply) bool {
		return r.record.Result == Failed || r.body != nil && !r.plugin.HidesNothing
	})
	d.host.Fired(Firing{
		HidesNothing: harmless,
		Dispatch:     d.id, Agent: agentIn(ctx), Point: d.info.Name,
		Payload: d.payload, Final: d.merged.Next(), Answer: result.Answer,
	})
}
