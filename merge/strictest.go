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
// which is taken with the first of them.
func (c *combination) strictest(f hookpoints.AnswerField) {
	if f.Name != strictestOf(c.info)[0] {
		return
	}
	var winner *reply
	for _, r := range c.replies {
		if winner == nil || rank(opinion(c.info, r)) > rank(opinion(c.info, winner)) {
			winner = r
		}
	}
	decision := hookpoints.Decision("")
	if winner != nil {
		decision = opinion(c.info, winner)
	}
	if decision == "" {
		return
	}
	c.decidedBy = winner.from
	c.takeDecision(winner, decision)
	for _, r := range c.replies {
		if said := opinion(c.info, r); said != "" && r != winner {
			r.notUsed(c.info, said, winner.from, decision)
		}
	}
}

// takeDecision makes the decision of a reply that of the answer, in the fields in which the
// reply said it, with the fields that belong to them.
func (c *combination) takeDecision(r *reply, decision hookpoints.Decision) {
	names := strictestOf(c.info)
	for _, name := range fieldsSaying(c.info, r, decision) {
		c.answer = put(c.answer, name, r.field(name))
		if decision != hookpoints.DecisionDeny {
			r.usesField(name)
		}
	}
	for _, f := range c.info.Fields {
		if value := r.field(f.Name); f.Rule == hookpoints.RuleWith && slices.Contains(names, f.With) && value != "" {
			c.answer = put(c.answer, f.Name, value)
		}
	}
	r.Decides = true
	if decision == hookpoints.DecisionDeny {
		c.deniedBy = r.from
		r.Outcome, r.Why = Blocked, cmp.Or(reasonOf(c.info, r), fmt.Sprintf("denied by plugin %q", r.from))
	}
}

// notUsed notes that the opinion of a reply is not used, because another plugin has a
// stricter one or had the same first.
func (r *reply) notUsed(info hookpoints.Info, said hookpoints.Decision, winner string, decision hookpoints.Decision) {
	r.Outcome = Ignored
	switch {
	case said == hookpoints.DecisionDeny:
		r.Outcome, r.Why = Blocked, cmp.Or(reasonOf(info, r), fmt.Sprintf("denied by plugin %q", r.from))
		r.note(NoteBlockedFirst, "plugin %q blocked first", winner)
	case said == decision:
		r.note("", "plugin %q came first with the same decision %q", winner, decision)
	default:
		r.lost("/"+fieldsSaying(info, r, said)[0], winner)
		r.note("", "its decision %q is not used, that of plugin %q is %q", said, winner, decision)
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
		return hookpoints.Decision(said.Str)
	}
	return ""
}

// rank orders decisions by strictness. What is none ranks lowest.
func rank(d hookpoints.Decision) int {
	order := [...]hookpoints.Decision{hookpoints.DecisionAllow, hookpoints.DecisionAsk, hookpoints.DecisionDeny}
	return slices.Index(order[:], d)
}

// reasonOf returns the text that belongs to the opinion of a reply, "" if there is none.
func reasonOf(info hookpoints.Info, r *reply) string {
	for _, name := range strictestOf(info) {
		if text := dependentText(info, []byte(r.body), name); text != "" {
			return text
		}
	}
	return ""
}
