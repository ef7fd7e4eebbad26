package merge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// gather combines what the replies say in a field, by its rule.
func (c *combination) gather(f hookpoints.AnswerField) {
	switch f.Rule {
	case hookpoints.RuleJoin:
		c.join(f)
	case hookpoints.RuleAppend:
		c.appendLists(f)
	case hookpoints.RuleIntersect:
		c.intersect(f)
	case hookpoints.RuleUnite:
		c.unite(f)
	case hookpoints.RuleFirst:
		c.first(f)
	case hookpoints.RuleStrictest:
		c.strictest(f)
	default:
		c.beside(f)
	}
}

// join joins texts with a blank line between them.
func (c *combination) join(f hookpoints.AnswerField) {
	combineOffers(c, f, offersOf[string](c.replies, f), Join)
}

// appendLists concatenates lists.
func (c *combination) appendLists(f hookpoints.AnswerField) {
	offers := offersOf[[]json.RawMessage](c.replies, f)
	for _, o := range offers {
		c.appendedBy = append(c.appendedBy, slices.Repeat([]string{o.From}, len(o.Value))...)
	}
	combineOffers(c, f, offers, Append[json.RawMessage])
}

// intersect keeps the names that are in every list.
func (c *combination) intersect(f hookpoints.AnswerField) {
	combineOffers(c, f, c.names(f), Intersect)
}

// unite lists the names that are in any list.
func (c *combination) unite(f hookpoints.AnswerField) {
	combineOffers(c, f, c.names(f), Unite)
}

// names reads a field that is a list of names, and adds notes about names that are not
// offered.
func (c *combination) names(f hookpoints.AnswerField) []Offer[[]string] {
	offers := offersOf[[]string](c.replies, f)
	if len(offers) == 0 || f.Among == "" {
		return offers
	}
	known := []string{}
	for _, v := range gjson.GetBytes(c.payload.current(), f.Among).Array() {
		known = append(known, v.String())
	}
	for i := range offers {
		offers[i].Value = Listed(offers[i].Value, known)
	}
	c.noteNotOffered(f, known)
	return offers
}

// first takes the first value that is not empty, and adds a note to the other replies
// that their value is not used.
func (c *combination) first(f hookpoints.AnswerField) {
	var winner *reply
	for _, r := range c.replies {
		value := r.field(f.Name)
		switch {
		case isEmpty(value):
		case winner == nil:
			winner = r
			if c.firstBy == nil {
				c.firstBy = map[string]string{}
			}
			c.firstBy[f.Name] = r.from
			c.putWith(r, f.Name, []byte(value))
			r.usesField(f.Name)
		default:
			r.lost("/"+f.Name, winner.from)
			r.note("", "its %q is not used, plugin %q came first", f.Name, winner.from)
			if r.Outcome == NoEffect {
				r.Outcome = Ignored
			}
		}
	}
}

// decide settles the dispatch with a field of a reply: the first reply that blocks, claims
// or ends the turn wins.
func (a *Accumulator) decide(r *reply, f hookpoints.AnswerField) {
	switch f.Rule {
	case hookpoints.RuleClaim:
		a.claim(r, f)
	case hookpoints.RuleHalt:
		a.settleByHalt(r)
	default:
		a.block(r, f)
	}
}

// claim settles the dispatch by a reply that claims the event.
func (a *Accumulator) claim(r *reply, f hookpoints.AnswerField) {
	if a.settled == nil {
		a.settled, r.Outcome, r.Decides = r.alone(a.info, f, r.from), Claimed, true
		a.claimer = r.from
	}
}

// block settles the dispatch by a reply that blocks or denies.
func (a *Accumulator) block(r *reply, f hookpoints.AnswerField) {
	said := r.alone(a.info, f, fmt.Sprintf("blocked by plugin %q", r.from))
	if f.Rule == hookpoints.RuleStrictest {
		said = a.info.Refusal(cmp.Or(reasonOf(a.info, r), fmt.Sprintf("denied by plugin %q", r.from)))
	}
	r.Outcome, r.Why = Blocked, messageIn(a.info, said)
	if a.settled != nil {
		r.note(NoteBlockedFirst, "plugin %q blocked first", a.blocker)
		return
	}
	a.settled, a.blocker, r.Decides = said, r.from, true
}

// onlyGuards leaves of a guard's answer what changes nothing that guards judge, and adds a note
// if it asks for something else.
func (r *reply) onlyGuards(info hookpoints.Info) {
	var kept []byte
	ignored := false
	for _, f := range info.Fields {
		switch value := r.field(f.Name); {
		case value == "" || f.Rule == hookpoints.RuleBlock:
		case f.Rule == hookpoints.RuleWith || guardsMay(f.Rule, value):
			kept = put(kept, f.Name, value)
		default:
			ignored = true
		}
	}
	if ignored {
		r.ignore("it is a guard here and may only block")
	}
	r.body = membersOf(string(kept))
}

// guardsMay reports whether guards may answer a field besides blocking: they may restrict and
// tell, but neither rewrite nor allow.
func guardsMay(rule hookpoints.Rule, value string) bool {
	return isBeside(rule) || rule == hookpoints.RuleStrictest && decisionIn(value) != hookpoints.DecisionAllow
}

// observed adds a note that an answer has no effect if it has fields that have an effect
// at some other point. Other fields, such as {"ok":true}, are ignored without a note.
func (r *reply) observed(info hookpoints.Info) {
	if len(r.body.list) == 0 {
		return
	}
	effective := map[string]bool{}
	for _, other := range hookpoints.All() {
		for _, f := range other.Fields {
			effective[f.Name] = true
		}
	}
	var tried []string
	for _, m := range r.body.list {
		if effective[m.key] && m.value != "null" && !hookpoints.IsNoOpinion(m.key, m.value) {
			tried = append(tried, strconv.Quote(m.key))
		}
	}
	r.body = &members{}
	if len(tried) > 0 {
		r.ignore("%s is only observed, an answer of %s changes nothing", info.Name, strings.Join(tried, ", "))
	}
}

// Blocks reports whether an answer blocks or denies at a point. The answer must meet the
// requirements of [Accumulator.Add].
func Blocks(info hookpoints.Info, answer []byte) bool {
	r := &reply{body: membersOf(string(answer))}
	r.refuseInWordsOf(info)
	f, decides := deciding(info, r)
	return decides && f.Rule != hookpoints.RuleClaim || opinion(info, r) == hookpoints.DecisionDeny
}

// alone returns an answer of one plugin: a field that is true and its dependent fields,
// with text as the value of those that are missing.
func (r *reply) alone(info hookpoints.Info, f hookpoints.AnswerField, text string) []byte {
	said := put(nil, f.Name, "true")
	for _, dependent := range dependents(info, f.Name) {
		value := r.field(dependent)
		if value == "" || value == `""` {
			value = string(strictjson.Quote(text))
		}
		said = put(said, dependent, value)
	}
	return said
}

func dependents(info hookpoints.Info, name string) (names []string) {
	for _, f := range info.Fields {
		if f.BelongsTo(name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// dependentText returns the text of the first dependent field of a field, "" if it has none.
func (r *reply) dependentText(info hookpoints.Info, name string) string {
	names := dependents(info, name)
	if len(names) == 0 {
		return ""
	}
	return gjson.Parse(r.field(names[0])).String()
}

// messageIn returns the message of an answer that blocks.
func messageIn(info hookpoints.Info, said []byte) string {
	r := &reply{body: membersOf(string(said))}
	for _, f := range info.Fields {
		if f.Rule == hookpoints.RuleBlock {
			return r.dependentText(info, f.Name)
		}
	}
	return reasonOf(info, r)
}

// maxNotOffered bounds how many names that are not offered are listed.
const maxNotOffered = 10

// noteNotOffered adds notes about names in lists that are not known.
func (c *combination) noteNotOffered(f hookpoints.AnswerField, listed []string) {
	known := setOf(listed)
	for _, r := range c.replies {
		var names []string
		gjson.Parse(r.field(f.Name)).ForEach(func(_, v gjson.Result) bool {
			names = append(names, v.String())
			return true
		})
		others := 0
		for i, name := range Listed(names, listed) {
			if known[name] {
				continue
			}
			if others++; others <= maxNotOffered {
				r.note(NoteNotOffered, "%q names %q, which is not offered here", f.Name, names[i])
			}
		}
		if others > maxNotOffered {
			r.note(NoteNotOffered, "%q names %d more that are not offered here", f.Name, others-maxNotOffered)
		}
	}
}

// isEmpty reports whether a raw value is "", [] or {}, or does not exist.
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
