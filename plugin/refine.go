package plugin

import (
	"encoding/json"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/merge"
)

// Refine corrects the values with which plugins replace a field of the payload, before the
// next plugin and the guards receive it.
type Refine struct {
	// Field is the field's name.
	Field string
	// Value returns what to take instead of a value, and what the record says of
	// that; "" if the value stays as it is.
	Value func(value json.RawMessage) (refined json.RawMessage, remark string)
}

// refined is a reply's answer after what it rewrites was corrected.
func (d *dispatch) refined(r *reply) []byte {
	body := r.body
	if body == nil || r.record.Guard {
		return body
	}
	for _, refine := range d.refine {
		value := merge.At(body, "/"+refine.Field)
		if value == nil || !rewrites(d.info, refine.Field) {
			continue
		}
		better, remark := refine.Value(value)
		if remark == "" {
			continue
		}
		if changed, err := merge.Set(body, refine.Field, better); err == nil {
			body = changed
			r.remark(remark)
		}
	}
	return body
}

// rewrites reports whether a field of the answer takes the place of the payload's.
func rewrites(info hookpoints.Info, name string) bool {
	return slices.ContainsFunc(info.Fields, func(f hookpoints.AnswerField) bool {
		return f.Name == name && f.Rule == hookpoints.RuleReplace
	})
}
