package plugin

import (
	"encoding/json"

	"github.com/chibi-host/chibi/hookpoints"
)

// Refine corrects what plugins put in the place of a field of the payload, before
// the next plugin and the guards receive it.
type Refine struct {
	// Field is the field's name.
	Field string
	// Value returns what to take instead of a value, and what the record says of
	// that; "" if the value stays as it is.
	Value func(value json.RawMessage) (refined json.RawMessage, remark string)
}

// refined is the value of an answer's field after it was corrected.
func (d *dispatch) refined(r *reply, f hookpoints.AnswerField) []byte {
	value := r.field(f.Name)
	if value == nil || f.Rule != hookpoints.RuleReplace {
		return value
	}
	for _, refine := range d.refine {
		if refine.Field != f.Name {
			continue
		}
		better, remark := refine.Value(value)
		if remark != "" {
			value = better
			r.remark(remark)
		}
	}
	return value
}
