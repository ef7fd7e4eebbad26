package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/merge"
	"github.com/tidwall/gjson"
)

// gather asks all subscribers at once with the same payload and folds their
// answers in plugin order.
func (d *dispatch) gather(ctx context.Context, subscribers []*Plugin) ([]byte, error) {
	replies, err := d.askAll(ctx, subscribers, d.payload)
	if err != nil {
		return nil, err
	}
	answer := newObject()
	for _, f := range d.info.Fields {
		d.fold(answer, f, replies)
	}
	return answer.bytes(), nil
}

// fold combines what the replies say about one field by the field's rule.
func (d *dispatch) fold(answer *object, f hookpoints.AnswerField, replies []*reply) {
	switch f.Rule {
	case hookpoints.RuleJoin:
		if offers := collect[string](f, replies); len(offers) > 0 {
			answer.encode(f.Name, merge.Join(offers))
		}
	case hookpoints.RuleAppend:
		if offers := collect[[]json.RawMessage](f, replies); len(offers) > 0 {
			answer.encode(f.Name, merge.Append(offers))
			d.credit(offers)
		}
	case hookpoints.RuleIntersect:
		if offers := collect[[]string](f, replies); len(offers) > 0 {
			answer.encode(f.Name, merge.Intersect(offers))
		}
		d.noteNotOffered(f, replies)
	case hookpoints.RuleUnite:
		if offers := collect[[]string](f, replies); len(offers) > 0 {
			answer.encode(f.Name, merge.Unite(offers))
		}
		d.noteNotOffered(f, replies)
	case hookpoints.RuleFirst:
		d.foldFirst(answer, f, replies)
	}
}

// credit notes which plugins the elements of a list come from.
func (d *dispatch) credit(offers []merge.Offer[[]json.RawMessage]) {
	for _, o := range offers {
		d.appendedBy = append(d.appendedBy, slices.Repeat([]string{o.From}, len(o.Value))...)
	}
}

// collect reads one field of every reply that has it and marks those replies
// as effective.
func collect[T any](f hookpoints.AnswerField, replies []*reply) []merge.Offer[T] {
	var offers []merge.Offer[T]
	for _, r := range replies {
		var value T
		raw := r.field(f.Name)
		if raw == nil || isEmptyText(raw) || strictjson.Decode(raw, &value) != nil {
			continue
		}
		offers = append(offers, merge.Offer[T]{From: r.plugin.Name, Value: value})
		r.changed("/" + f.Name)
	}
	return offers
}

// foldFirst takes the first non-empty value and tells the others that theirs
// is not used.
func (d *dispatch) foldFirst(answer *object, f hookpoints.AnswerField, replies []*reply) {
	var winner *reply
	for _, r := range replies {
		value := r.field(f.Name)
		switch {
		case value == nil || isEmpty(value):
		case winner == nil:
			winner = r
			answer.set(f.Name, value)
			answer.copyCompanions(d.info, r, f.Name)
			r.changed("/" + f.Name)
		default:
			r.lost("/"+f.Name, winner.plugin.Name)
			r.remark(fmt.Sprintf("its %q is not used, plugin %q came first", f.Name, winner.plugin.Name))
			if r.record.Result == NoOpinion {
				r.record.Result = Ignored
			}
		}
	}
}

// noteNotOffered remarks on listed names that the payload does not know.
func (d *dispatch) noteNotOffered(f hookpoints.AnswerField, replies []*reply) {
	if f.Among == "" {
		return
	}
	known := map[string]bool{}
	for _, v := range gjson.GetBytes(d.payload, f.Among).Array() {
		known[v.String()] = true
	}
	for _, r := range replies {
		others := 0
		gjson.ParseBytes(r.field(f.Name)).ForEach(func(_, v gjson.Result) bool {
			if known[v.String()] {
				return true
			}
			if others++; others <= maxUnknown {
				r.remark(fmt.Sprintf("%q names %q, which is not offered here", f.Name, v.String()))
			}
			return true
		})
		if others > maxUnknown {
			r.remark(fmt.Sprintf("%q names %d more that are not offered here", f.Name, others-maxUnknown))
		}
	}
}

func isEmptyText(raw []byte) bool { return string(raw) == `""` }

// isEmpty says whether a raw value is "", [] or {}.
func isEmpty(raw []byte) bool {
	v := gjson.ParseBytes(raw)
	if v.IsArray() || v.IsObject() {
		empty := true
		v.ForEach(func(_, _ gjson.Result) bool {
			empty = false
			return false
		})
		return empty
	}
	return isEmptyText(raw)
}
