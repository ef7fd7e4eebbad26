package merge

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/tidwall/gjson"
)

// strictest takes the strictest opinion, of equally strict ones the first, and adds a note
// to the other replies that theirs is not used. All fields with this rule are one opinion,
// which is taken with the first of them that a reply has.
func (c *combination) strictest(f hookpoints.AnswerField) {
	if names := strictestOf(c.info); f.Name != names[slices.IndexFunc(names, c.isSaid)] {
		return
	}
	var winner *reply
	decision, opinions := hookpoints.Decision(""), opinionsOf(c)
	for i, r := range c.replies {
		if rank(opinions[i]) > rank(decision) {
			winner, decision = r, opinions[i]
		}
	}
	if decision == "" {
		return
	}
	c.decidedBy = winner.from
	c.takeDecision(winner, decision)
	for i, r := range c.replies {
		if opinions[i] != "" && r != winner {
			r.notUsed(c.info, opinions[i], winner.from, decision)
		}
	}
}

// opinionsOf lists the decisions of the replies. In a chain, a reply does not allow what a later
// one made of the payload.
func opinionsOf(c *combination) []hookpoints.Decision {
	opinions := make([]hookpoints.Decision, len(c.replies))
	var changedBy string
	for i, r := range slices.Backward(c.replies) {
		opinions[i] = opinion(c.info, r)
		if opinions[i] == hookpoints.DecisionAllow && changedBy != "" {
			opinions[i] = ""
			r.ignoreAllow(changedBy)
		}
		if len(r.rewrites) > 0 {
			changedBy = r.from
		}
	}
	return opinions
}

// ignoreAllow notes that a permission does not count.
func (r *reply) ignoreAllow(changedBy string) {
	outcome := r.Outcome
	r.ignore("its decision \"allow\" does not count, because plugin %q changed the payload afterwards", changedBy)
	if outcome != NoEffect { // it changed something itself
		r.Outcome = outcome
	}
}

// takeDecision makes the decision of a reply the decision of the answer, in the fields in which the
// reply said it, with the fields that belong to them.
func (c *combination) takeDecision(r *reply, decision hookpoints.Decision) {
	names := strictestOf(c.info)
	for _, name := range fieldsSaying(c.info, r, decision) {
		c.answer = put(c.answer, name, r.field(name))
		switch {
		case decision == hookpoints.DecisionDeny:
		case c.info.Mode == hookpoints.Chain:
			r.did("%s", decisionText(c.info, r, decision))
		default:
			r.usesField(name)
		}
	}
	for _, f := range c.info.Fields {
		if value := r.field(f.Name); slices.ContainsFunc(names, f.BelongsTo) && value != "" {
			c.answer = put(c.answer, f.Name, value)
		}
	}
	r.Decides = true
	if decision == hookpoints.DecisionDeny {
		c.deniedBy = r.from
		r.Outcome, r.Why = Blocked, cmp.Or(reasonOf(c.info, r), fmt.Sprintf("denied by plugin %q", r.from))
	}
}

// decisionText says what a reply decided that does not deny.
func decisionText(info hookpoints.Info, r *reply, decision hookpoints.Decision) string {
	text := "allows it without a question"
	if decision == hookpoints.DecisionAsk {
		text = "wants the person to be asked"
	}
	if why := reasonOf(info, r); why != "" {
		text += ": " + why
	}
	return text
}

// notUsed notes that the opinion of a reply is not used, because another plugin has a
// stricter one or had the same first.
func (r *reply) notUsed(info hookpoints.Info, said hookpoints.Decision, winner string, decision hookpoints.Decision) {
	if r.Outcome == NoEffect || info.Mode != hookpoints.Chain {
		r.Outcome = Ignored
	}
	switch {
	case said == hookpoints.DecisionDeny:
		r.Outcome, r.Why = Blocked, cmp.Or(reasonOf(info, r), fmt.Sprintf("denied by plugin %q", r.from))
		r.note(NoteBlockedFirst, "plugin %q blocked first", winner)
	case said == decision:
		r.note("", "plugin %q came first with the same decision %q", winner, decision)
	default:
		r.lost("/"+fieldsSaying(info, r, said)[0], winner)
		r.note("", "its decision %q is not used, as plugin %q decides %q", said, winner, decision)
	}
}

// strictestOf lists the fields of a point that are one opinion.
func strictestOf(info hookpoints.Info) (names []string) {
	for _, f := range info.Fields {
		if f.Rule == hookpoints.RuleStrictest {
			names = append(names, f.Name)
		}
	}
	return names
}

// opinion returns the strictest decision in the fields of a reply, "" for none.
func opinion(info hookpoints.Info, r *reply) (strictest hookpoints.Decision) {
	for _, name := range strictestOf(info) {
		if said := decisionIn(r.field(name)); rank(said) > rank(strictest) {
			strictest = said
		}
	}
	return strictest
}

// fieldsSaying lists the fields of a reply that have a decision.
func fieldsSaying(info hookpoints.Info, r *reply, decision hookpoints.Decision) []string {
	return slices.DeleteFunc(strictestOf(info), func(name string) bool { return decisionIn(r.field(name)) != decision })
}

// decisionIn reads a value of a field: true means deny.
func decisionIn(value string) hookpoints.Decision {
	switch said := gjson.Parse(value); said.Type {
	case gjson.True:
		return hookpoints.DecisionDeny
	case gjson.String:
		var decision hookpoints.Decision
		if decision.UnmarshalText([]byte(said.Str)) == nil {
			return decision
		}
	}
	return ""
}

// denies reports whether a value of a field is a denial.
func denies(value string) bool { return decisionIn(value) == hookpoints.DecisionDeny }

// rank orders decisions by strictness. Any other text ranks lowest.
func rank(d hookpoints.Decision) int {
	order := [...]hookpoints.Decision{hookpoints.DecisionAllow, hookpoints.DecisionAsk, hookpoints.DecisionDeny}
	return slices.Index(order[:], d)
}

// reasonOf returns the text that belongs to the opinion of a reply, "" if there is none.
func reasonOf(info hookpoints.Info, r *reply) string {
	for _, name := range strictestOf(info) {
		if text := r.dependentText(info, name); text != "" {
			return text
		}
	}
	return ""
}
