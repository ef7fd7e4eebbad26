package merge

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// isBeside reports whether fields with a rule take effect beside the rest of the answer.
func isBeside(rule hookpoints.Rule) bool {
	switch rule {
	case hookpoints.RuleTexts, hookpoints.RuleTell, hookpoints.RuleHalt, hookpoints.RuleHaltLast:
		return true
	}
	return false
}

// beside combines a field that takes effect beside the rest of the answer, also if the
// dispatch was settled: a text for the model or for the person, or the end of the turn.
func (c *combination) beside(f hookpoints.AnswerField) {
	switch f.Rule {
	case hookpoints.RuleTexts:
		addTexts(c, f)
	case hookpoints.RuleTell:
		tell(c, f)
	case hookpoints.RuleHalt, hookpoints.RuleHaltLast:
		halt(c, f)
	}
}

// addTexts adds the texts of all replies.
func addTexts(c *combination, f hookpoints.AnswerField) {
	offers := textsIn(c, f, func(r *reply, text string) {
		r.did("added %s (%d characters)", f.Name, utf8.RuneCountInString(text))
		c.texts = append(c.texts, hookpoints.Text{Plugin: r.from, Text: text})
	})
	combineOffers(c, f, offers, Join)
}

// maxTold bounds the part of a text for the person in a note about a reply, in bytes.
const maxTold = 200

// tell passes on what replies say to the person.
func tell(c *combination, f hookpoints.AnswerField) {
	offers := textsIn(c, f, func(r *reply, text string) {
		r.did("told the person: %s", clip.Bytes(text, maxTold))
		r.Tells = append(r.Tells, text)
	})
	combineOffers(c, f, offers, Join)
}

// textsIn reads a text of every reply that has it, and calls do for each.
func textsIn(c *combination, f hookpoints.AnswerField, do func(r *reply, text string)) (offers []Offer[string]) {
	for _, r := range c.replies {
		var text string
		if raw := r.field(f.Name); raw == "" || strictjson.Decode([]byte(raw), &text) != nil || text == "" {
			continue
		}
		offers = append(offers, Offer[string]{From: r.from, Value: text})
		do(r, text)
	}
	return offers
}

// halt makes the first reply that ends the turn do so.
func halt(c *combination, f hookpoints.AnswerField) {
	for _, r := range c.replies {
		if r.field(f.Name) != "true" {
			continue
		}
		message := cmp.Or(r.dependentText(c.info, f.Name), fmt.Sprintf("halted by plugin %q", r.from))
		if f.Rule == hookpoints.RuleHaltLast {
			r.did("halted the turn: %s", message)
		} else {
			r.Why = "halted the turn: " + message
		}
		if c.halted.Plugin != "" {
			r.note(NoteBlockedFirst, "plugin %q halted the turn first", c.halted.Plugin)
			continue
		}
		c.halted = hookpoints.Halted{Plugin: r.from, Message: message}
		c.answer = put(c.answer, f.Name, "true")
		for _, name := range dependents(c.info, f.Name) {
			if f.Rule == hookpoints.RuleHalt || !gjson.GetBytes(c.answer, gjson.Escape(name)).Exists() { // of a block
				c.answer = put(c.answer, name, strictjson.Quote(message))
			}
		}
	}
}

// settleByHalt settles the dispatch by a reply that ends the turn.
func (a *Accumulator) settleByHalt(r *reply) {
	r.Outcome = Blocked
	if a.settled == nil {
		a.settled, a.blocker, r.Decides = []byte("{}"), r.from, true
	}
}
