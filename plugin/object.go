package plugin

import (
	"encoding/json"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/merge"
	"github.com/tidwall/gjson"
)

// object builds a combined answer field by field.
type object struct{ raw []byte }

func newObject() *object { return &object{} }

// set puts a raw value under a name.
func (o *object) set(name string, value []byte) {
	if o.raw == nil {
		o.raw = []byte("{}")
	}
	if next, err := merge.Set(o.raw, name, value); err == nil {
		o.raw = next
	}
}

// encode puts a Go value under a name.
func (o *object) encode(name string, value any) {
	if raw, err := JSON(value); err == nil {
		o.set(name, raw)
	}
}

// bytes is the object, nil if nothing was set.
func (o *object) bytes() []byte { return o.raw }

// copyCompanions copies the fields of a reply that belong to the named one.
func (o *object) copyCompanions(info hookpoints.Info, r *reply, name string) {
	for _, f := range info.Fields {
		if f.Rule != hookpoints.RuleWith || f.With != name {
			continue
		}
		if value := r.field(f.Name); value != nil {
			o.set(f.Name, value)
		}
	}
}

// withCompanions is an answer of one plugin alone: a field that is true and the
// fields that belong to it; those that are missing say text.
func (d *dispatch) withCompanions(r *reply, name, text string) []byte {
	answer := newObject()
	answer.set(name, []byte("true"))
	for _, f := range d.info.Fields {
		if f.Rule == hookpoints.RuleWith && f.With == name {
			fallback, _ := json.Marshal(text)
			answer.set(f.Name, fallback)
			if value := r.field(f.Name); value != nil && !isEmptyText(value) {
				answer.set(f.Name, value)
			}
		}
	}
	return answer.bytes()
}

// companionText is the text of the first field that belongs to the named one.
func companionText(info hookpoints.Info, answer []byte, name string) string {
	for _, f := range info.Fields {
		if f.Rule == hookpoints.RuleWith && f.With == name {
			return gjson.GetBytes(answer, gjson.Escape(f.Name)).String()
		}
	}
	return ""
}
