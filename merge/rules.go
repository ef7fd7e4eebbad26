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

// join puts texts one after another with a blank line between.
func (a *Accumulator) join(answer []byte, f hookpoints.AnswerField) []byte {
	return combineOffers(answer, f, offersOf[string](a, f), Join)
}

// appendLists puts lists one after another.
func (a *Accumulator) appendLists(answer []byte, f hookpoints.AnswerField) []byte {
	offers := offersOf[[]json.RawMessage](a, f)
	for _, o := range offers {
		a.appendedBy = append(a.appendedBy, slices.Repeat([]string{o.From}, len(o.Value))...)
	}
	return combineOffers(answer, f, offers, Append[json.RawMessage])
}

// intersect keeps what every list names.
func (a *Accumulator) intersect(answer []byte, f hookpoints.AnswerField) []byte {
	return combineOffers(answer, f, a.names(f), Intersect)
}

// unite lists what any list names.
func (a *Accumulator) unite(answer []byte, f hookpoints.AnswerField) []byte {
	return combineOffers(answer, f, a.names(f), Unite)
}

// names reads a field that is a list of names, and notes those that are not offered.
func (a *Accumulator) names(f hookpoints.AnswerField) []Offer[[]string] {
	offers := offersOf[[]string](a, f)
	if len(offers) > 0 {
		a.noteNotOffered(f)
	}
	return offers
}

// first takes the first value that is not empty, and tells the other plugins that
// theirs is not used.
func (a *Accumulator) first(answer []byte, f hookpoints.AnswerField) []byte {
	var winner *reply
	for _, r := range a.replies {
		value := r.field(f.Name)
		switch {
		case isEmpty(value):
		case winner == nil:
			winner = r
			answer = a.putWith(answer, r, f.Name, value)
			r.usesField(f.Name)
		default:
			r.lost("/"+f.Name, winner.from)
			r.note("", "its %q is not used, plugin %q came first", f.Name, winner.from)
			if r.Outcome == NoEffect {
				r.Outcome = Ignored
			}
		}
	}
	return answer
}

// decide settles the dispatch by a field of a reply: the first reply that blocks or
// claims wins.
func (a *Accumulator) decide(r *reply, f hookpoints.AnswerField) {
	if f.Rule == hookpoints.RuleClaim {
		if a.settled == nil {
			a.settled, r.Outcome, r.Decides = a.alone(r, f, r.from), Claimed, true
		}
		return
	}
	said := a.alone(r, f, fmt.Sprintf("blocked by plugin %q", r.from))
	r.Outcome, r.Why = Blocked, a.dependentText(said, f.Name)
	if a.settled != nil {
		r.note(NoteBlockedFirst, "plugin %q blocked first", a.blocker)
		return
	}
	a.settled, a.blocker, r.Decides = said, r.from, true
}

// onlyGuards notes that a guard's answer has no effect if it asks for anything but
// a block.
func (a *Accumulator) onlyGuards(r *reply) {
	for _, f := range a.info.Fields {
		if f.Rule != hookpoints.RuleBlock && f.Rule != hookpoints.RuleWith && r.field(f.Name) != "" {
			r.ignore("it is a guard here and may only block")
			break
		}
	}
	r.body = ""
}

// observe notes that an answer has no effect if it names what has one at some other
// point. Other fields, such as {"ok":true}, harm nobody.
func (a *Accumulator) observe(r *reply) {
	if r.body == "" {
		return
	}
	effective := map[string]bool{}
	for _, info := range hookpoints.All() {
		for _, f := range info.Fields {
			effective[f.Name] = true
		}
	}
	var tried []string
	r.each(func(name, value string) {
		if effective[name] && value != "null" && !(name == "block" && value == "false") {
			tried = append(tried, strconv.Quote(name))
		}
	})
	r.body = ""
	if len(tried) > 0 {
		r.ignore("%s is only observed, an answer of %s changes nothing", a.info.Name, strings.Join(tried, ", "))
	}
}

// Blocks reports whether an answer, which is as [Accumulator.Add] wants it, refuses at
// a point.
func Blocks(info hookpoints.Info, answer []byte) bool {
	f, decides := deciding(info, &reply{body: string(answer)})
	return decides && f.Rule == hookpoints.RuleBlock
}

// alone is an answer of one plugin: a field that is true and the fields that belong
// to it; those that it does not have say text.
func (a *Accumulator) alone(r *reply, f hookpoints.AnswerField, text string) []byte {
	said := put(nil, f.Name, "true")
	for _, dependent := range a.dependents(f.Name) {
		value := r.field(dependent)
		if value == "" || value == `""` {
			value = string(strictjson.Quote(text))
		}
		said = put(said, dependent, value)
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

// dependentText is the text of the first field that belongs to a field.
func (a *Accumulator) dependentText(said []byte, name string) string {
	for _, dependent := range a.dependents(name) {
		return gjson.GetBytes(said, gjson.Escape(dependent)).String()
	}
	return ""
}

// maxNotOffered bounds how many names that are not offered are named.
const maxNotOffered = 10

// noteNotOffered remarks on names in lists that the payload does not know.
func (a *Accumulator) noteNotOffered(f hookpoints.AnswerField) {
	if f.Among == "" {
		return
	}
	known := map[string]bool{}
	for _, v := range gjson.GetBytes(a.Next(), f.Among).Array() {
		known[v.String()] = true
	}
	for _, r := range a.replies {
		others := 0
		gjson.Parse(r.field(f.Name)).ForEach(func(_, v gjson.Result) bool {
			if known[v.String()] {
				return true
			}
			if others++; others <= maxNotOffered {
				r.note(NoteNotOffered, "%q names %q, which is not offered here", f.Name, v.String())
			}
			return true
		})
		if others > maxNotOffered {
			r.note(NoteNotOffered, "%q names %d more that are not offered here", f.Name, others-maxNotOffered)
		}
	}
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
