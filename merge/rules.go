package merge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// fold makes one value of what replies say about a field.
type fold func(a *Accumulator, f hookpoints.AnswerField, replies []*reply, combined *answer)

// foldOf is how a rule combines when all replies are there; nil for rules that act
// on each reply as it is added (block, claim), and for fields that belong to others.
func foldOf(rule hookpoints.Rule) fold {
	switch rule {
	case hookpoints.RuleJoin:
		return (*Accumulator).join
	case hookpoints.RuleAppend:
		return (*Accumulator).appendLists
	case hookpoints.RuleIntersect:
		return (*Accumulator).intersect
	case hookpoints.RuleUnite:
		return (*Accumulator).unite
	case hookpoints.RuleFirst:
		return (*Accumulator).first
	case hookpoints.RuleReplace, hookpoints.RulePatch:
		return (*Accumulator).rewritten
	}
	return nil
}

// join puts texts one after another with a blank line between.
func (a *Accumulator) join(f hookpoints.AnswerField, replies []*reply, combined *answer) {
	combineOffers(f, replies, combined, Join)
}

// appendLists puts lists one after another.
func (a *Accumulator) appendLists(f hookpoints.AnswerField, replies []*reply, combined *answer) {
	for _, o := range combineOffers(f, replies, combined, Append[json.RawMessage]) {
		a.appendedBy = append(a.appendedBy, slices.Repeat([]string{o.From}, len(o.Value))...)
	}
}

// intersect keeps what every list names.
func (a *Accumulator) intersect(f hookpoints.AnswerField, replies []*reply, combined *answer) {
	if offers := combineOffers(f, replies, combined, Intersect); len(offers) > 0 {
		a.noteNotOffered(f, replies)
	}
}

// unite lists what any list names.
func (a *Accumulator) unite(f hookpoints.AnswerField, replies []*reply, combined *answer) {
	if offers := combineOffers(f, replies, combined, Unite); len(offers) > 0 {
		a.noteNotOffered(f, replies)
	}
}

// first takes the first value that is not empty, and tells the other plugins that
// theirs is not used.
func (a *Accumulator) first(f hookpoints.AnswerField, replies []*reply, combined *answer) {
	var winner *reply
	for _, r := range replies {
		value := r.field(f.Name)
		switch {
		case isEmpty(value):
		case winner == nil:
			winner = r
			combined.put(f.Name, value)
			a.copyDependents(r, f.Name, combined)
			r.changed("/" + f.Name)
		default:
			r.lost("/"+f.Name, winner.from)
			r.note("its %q is not used, plugin %q came first", f.Name, winner.from)
			if r.Outcome == NoEffect {
				r.Outcome = Ignored
			}
		}
	}
}

// rewritten is the final value of a field of the payload, if it is another one than
// at first, with what the last plugin that rewrote it says beside it.
func (a *Accumulator) rewritten(f hookpoints.AnswerField, replies []*reply, combined *answer) {
	if !a.payload.changed(f.Name) {
		return
	}
	combined.put(f.Name, a.payload.root.member(f.Name).raw())
	for i := len(replies) - 1; i >= 0; i-- {
		if replies[i].field(f.Name) != "" {
			a.copyDependents(replies[i], f.Name, combined)
			return
		}
	}
}

// rewrite makes a reply's rewrites take effect on the payload.
func (a *Accumulator) rewrite(r *reply) {
	for _, f := range a.info.Fields {
		value := r.field(f.Name)
		switch {
		case value == "":
		case f.Rule == hookpoints.RuleReplace:
			r.changed(a.payload.replace(r.from, f.Name, value)...)
		case f.Rule == hookpoints.RulePatch && !isObject(value):
			r.ignore("%q: a patch must be an object", f.Name)
		case f.Rule == hookpoints.RulePatch:
			r.changed(a.payload.patch(r.from, f.Name, value)...)
		}
	}
}

// block settles the dispatch if a reply refuses: the first that does wins.
func (a *Accumulator) block(r *reply) bool {
	f, refuses := isTrue(a.info, hookpoints.RuleBlock, r.fields)
	if !refuses {
		return false
	}
	said := a.alone(r, f, fmt.Sprintf("blocked by plugin %q", r.from))
	r.Outcome, r.Why = Blocked, a.dependentText(said, f.Name)
	if a.settled != nil {
		r.note("plugin %q blocked first", a.blocker)
		return true
	}
	a.settled, a.blocker, r.Decides = said, r.from, true
	return true
}

// claim settles the dispatch if a reply claims the event.
func (a *Accumulator) claim(r *reply) bool {
	f, claims := isTrue(a.info, hookpoints.RuleClaim, r.fields)
	if !claims || a.settled != nil {
		return false
	}
	r.Outcome, r.Decides = Claimed, true
	a.settled = a.alone(r, f, r.from)
	return true
}

// onlyGuards notes that a guard's answer has no effect if it asks for anything but
// a block.
func (a *Accumulator) onlyGuards(r *reply) {
	for _, f := range a.info.Fields {
		if f.Rule != hookpoints.RuleBlock && f.Rule != hookpoints.RuleWith && r.field(f.Name) != "" {
			r.ignore("it is a guard here and may only block")
			return
		}
	}
}

// observe notes that an answer has no effect if it names what has one at some other
// point. Other fields, such as {"ok":true}, harm nobody.
func (a *Accumulator) observe(r *reply) {
	if len(r.fields.list) == 0 {
		return
	}
	effective := map[string]bool{}
	for _, info := range hookpoints.All() {
		for _, f := range info.Fields {
			effective[f.Name] = true
		}
	}
	var tried []string
	for _, m := range r.fields.list {
		if effective[m.key] && m.value != "null" && !(m.key == "block" && m.value == "false") {
			tried = append(tried, strconv.Quote(m.key))
		}
	}
	if len(tried) > 0 {
		r.ignore("%s is only observed, an answer of %s changes nothing", a.info.Name, strings.Join(tried, ", "))
	}
}

// Blocks reports whether an answer, a JSON object, refuses at a point.
func Blocks(info hookpoints.Info, answer []byte) bool {
	_, refuses := isTrue(info, hookpoints.RuleBlock, membersOf(string(answer)))
	return refuses
}

// isTrue is the first field with a rule that is true in an answer.
func isTrue(info hookpoints.Info, rule hookpoints.Rule, fields *members) (hookpoints.AnswerField, bool) {
	for _, f := range info.Fields {
		if f.Rule == rule {
			if m, there := fields.find(f.Name); there && m.value == "true" {
				return f, true
			}
		}
	}
	return hookpoints.AnswerField{}, false
}

// alone is an answer of one plugin: a field that is true and the fields that belong
// to it; those that it does not have say text.
func (a *Accumulator) alone(r *reply, f hookpoints.AnswerField, text string) *answer {
	said := &answer{}
	said.put(f.Name, "true")
	for _, dependent := range a.dependents(f.Name) {
		if value := r.field(dependent); value != "" && value != `""` {
			said.put(dependent, value)
		} else {
			said.encode(dependent, text)
		}
	}
	return said
}

// dependents are the fields that belong to a field.
func (a *Accumulator) dependents(name string) (names []string) {
	for _, f := range a.info.Fields {
		if f.Rule == hookpoints.RuleWith && f.With == name {
			names = append(names, f.Name)
		}
	}
	return names
}

// copyDependents copies what a reply says in the fields that belong to a field.
func (a *Accumulator) copyDependents(r *reply, name string, combined *answer) {
	for _, dependent := range a.dependents(name) {
		if value := r.field(dependent); value != "" {
			combined.put(dependent, value)
		}
	}
}

// dependentText is the text of the first field that belongs to a field.
func (a *Accumulator) dependentText(said *answer, name string) string {
	for _, dependent := range a.dependents(name) {
		return gjson.Parse(said.value(dependent)).String()
	}
	return ""
}

// maxNotOffered bounds how many names that are not offered are named.
const maxNotOffered = 10

// noteNotOffered remarks on names in lists that the payload does not know.
func (a *Accumulator) noteNotOffered(f hookpoints.AnswerField, replies []*reply) {
	if f.Among == "" {
		return
	}
	known := map[string]bool{}
	for _, v := range gjson.GetBytes(a.payload.bytes(), f.Among).Array() {
		known[v.String()] = true
	}
	for _, r := range replies {
		others := 0
		gjson.Parse(r.field(f.Name)).ForEach(func(_, v gjson.Result) bool {
			if known[v.String()] {
				return true
			}
			if others++; others <= maxNotOffered {
				r.note("%q names %q, which is not offered here", f.Name, v.String())
			}
			return true
		})
		if others > maxNotOffered {
			r.note("%q names %d more that are not offered here", f.Name, others-maxNotOffered)
		}
	}
}

// combineOffers makes one value of what replies offer for a field, if any does, and
// returns the offers.
func combineOffers[T any](f hookpoints.AnswerField, replies []*reply, combined *answer,
	combine func([]Offer[T]) T) []Offer[T] {
	offers := offersOf[T](f, replies)
	if len(offers) > 0 {
		combined.encode(f.Name, combine(offers))
	}
	return offers
}

// offersOf reads a field of every reply that has it, and notes that it takes effect.
func offersOf[T any](f hookpoints.AnswerField, replies []*reply) []Offer[T] {
	var offers []Offer[T]
	for _, r := range replies {
		var value T
		raw := r.field(f.Name)
		if raw == "" || raw == `""` || strictjson.Decode([]byte(raw), &value) != nil {
			continue
		}
		offers = append(offers, Offer[T]{From: r.from, Value: value})
		r.changed("/" + f.Name)
	}
	return offers
}

// isEmpty reports whether a raw value is "", [] or {}, or is not there.
func isEmpty(raw string) bool {
	v := gjson.Parse(raw)
	if v.IsArray() || v.IsObject() {
		empty := true
		v.ForEach(func(_, _ gjson.Result) bool {
			empty = false
			return false
		})
		return empty
	}
	return raw == "" || raw == `""`
}
