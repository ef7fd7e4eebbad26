package plugin

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/merge"
)

// Refine corrects the values with which plugins replace a field of the payload, before the
// next plugin and the guards receive it.
type Refine struct {
	// Field is the field's name.
	Field string
	// Value returns the value to take in place of another, and a remark for the record; "" if
	// the value stays as it is. JSON's null stands for no value: the field of the
	// payload stays as it is.
	Value func(value json.RawMessage) (refined json.RawMessage, remark string)
	// Loses says that Value returns less than the plugin asked for. Then chibi shows the person
	// the remark, a plugin whose failure blocks has failed, and an approval beside the value
	// has no effect. Value is then called for changes only.
	Loses bool
}

// refined is a reply's answer after what it rewrites was corrected.
func (d *dispatch) refined(r *reply) []byte {
	if r.body == nil || r.record.Guard {
		return r.body
	}
	body := r.body
	for _, refine := range d.refine {
		value := merge.At(body, "/"+refine.Field)
		if value == nil || !rewrites(d.info, refine.Field) || refine.Loses && !isChange(r, refine.Field, value) {
			continue
		}
		better, remark := refine.Value(value)
		if remark == "" {
			continue
		}
		if refine.Loses && refusedBecause(r, remark) {
			r.failed(errors.New(remark))
			return r.body
		}
		if changed, err := merge.Set(body, refine.Field, better); err == nil {
			body = changed
			r.remark(remark)
		}
		if refine.Loses {
			r.record.Result, r.notices = Ignored, append(r.notices, remark)
			body = withoutApproval(r, body)
		}
	}
	return body
}

// withoutApproval returns an answer without an approval: it was one of what the plugin wanted.
func withoutApproval(r *reply, body []byte) []byte {
	for _, f := range r.dispatch.info.Fields {
		value := merge.At(body, "/"+f.Name)
		if f.Rule != hookpoints.RuleStrictest || string(value) != `"allow"` {
			continue
		}
		if changed, err := merge.Set(body, f.Name, []byte("null")); err == nil {
			body = changed
			r.remark("its approval does not count: it approves only the arguments that it wanted")
		}
	}
	return body
}

// isChange reports whether a reply lets the event go on, with another value of a field.
func isChange(r *reply, field string, value []byte) bool {
	return string(value) != "null" && !r.refuses() &&
		!merge.Equal(merge.At(r.dispatch.merged.Next(), "/"+field), value)
}

// rewrites reports whether a field of the answer takes the place of the payload's.
func rewrites(info hookpoints.Info, name string) bool {
	return slices.ContainsFunc(info.Fields, func(f hookpoints.AnswerField) bool {
		return f.Name == name && f.Rule == hookpoints.RuleReplace
	})
}
