package hookpoints

import (
	"reflect"
	"slices"
	"strings"
)

// Rule says how the values of several plugins for one field of the answer are
// combined.
type Rule string

// The rules, as written in the `merge` tag of an answer's field. Replace and patch have an effect
// where the mode is chain, claim where it is claim, tell and with wherever answers count, the others
// where it is gather or chain. [Rule.Meaning] is the sentence of the documentation.
const (
	// RuleReplace replaces the payload's field of the same name; the next plugin receives the
	// new value. Null means no opinion. The value may nest at most 200 levels deep.
	RuleReplace Rule = "replace"
	// RulePatch applies a JSON merge patch (RFC 7396) to the payload's field of the same name:
	// objects are merged, null deletes, all else replaces. The patch may nest at most 200 levels deep.
	RulePatch Rule = "patch"
	// RuleBlock is for a bool: the first true in plugin order blocks, and ends the dispatch.
	RuleBlock Rule = "block"
	// RuleIntersect keeps the names that every plugin lists.
	RuleIntersect Rule = "intersect"
	// RuleUnite takes the names that any plugin lists.
	RuleUnite Rule = "unite"
	// RuleJoin joins texts in plugin order, with a blank line between them; empty ones are left out.
	RuleJoin Rule = "join"
	// RuleFirst takes the first value in plugin order that is not empty ("", [] or {}); others are
	// reported as unused.
	RuleFirst Rule = "first"
	// RuleAppend puts lists one after another, in plugin order.
	RuleAppend Rule = "append"
	// RuleClaim is for a bool: the first true claims the event, and chibi asks no further plugin.
	RuleClaim Rule = "claim"
	// RuleTexts is the rule of texts for the model that are kept apart, each with its author.
	RuleTexts Rule = "texts"
	// RuleTell is the rule of texts for the person.
	RuleTell Rule = "tell"
	// RuleHalt ends the turn and, like a block, the dispatch.
	RuleHalt Rule = "halt"
	// RuleHaltLast ends the turn when the other plugins have answered.
	RuleHaltLast Rule = "halt_last"
	// RuleStrictest is the rule of a decision: deny, or true, beats ask, which beats allow; of equal
	// ones the first counts. All fields that have it are one opinion.
	RuleStrictest Rule = "strictest"
	// RuleWith marks a field that belongs to another one, as in `merge:"with block"`, or to
	// several, as in `merge:"with block halt"`: its value comes from the plugin whose value of the other field is used.
	RuleWith Rule = "with"
)

// ruleFacts holds the requirements of a rule for its field.
type ruleFacts struct {
	rule  Rule
	modes []Mode // in which it has an effect
	kind  jsonKind
	names bool // a list of names
	leads bool // other fields can belong to the field
	// meaning describes the rule in one sentence.
	meaning string
}

// ruleTable describes the rules, in the order of the documentation. Package merge carries
// them out.
func ruleTable() []ruleFacts {
	chain, folds := []Mode{Chain}, []Mode{Gather, Chain}
	return []ruleFacts{
		{rule: RuleReplace, modes: chain, kind: kindAny, leads: true,
			meaning: "the value replaces the field in the payload; the next plugin receives it"},
		{rule: RulePatch, modes: chain, kind: kindObject, leads: true,
			meaning: "a JSON merge patch (RFC 7396) on the field in the payload: objects merge, null deletes, any other value " +
				"replaces"},
		{rule: RuleBlock, modes: folds, kind: kindBool, leads: true,
			meaning: "true blocks; the first in plugin order wins, and chibi calls no later plugin"},
		{rule: RuleIntersect, modes: folds, kind: kindList, names: true,
			meaning: "intersection: the names that every plugin lists"},
		{rule: RuleUnite, modes: folds, kind: kindList, names: true,
			meaning: "union: the names that any plugin lists, also if another plugin includes them"},
		{rule: RuleJoin, modes: folds, kind: kindText,
			meaning: "all texts in plugin order, with a blank line between them"},
		{rule: RuleFirst, modes: folds, kind: kindAny, leads: true,
			meaning: "the first value in plugin order that is not empty; the trace names the others"},
		{rule: RuleAppend, modes: folds, kind: kindList,
			meaning: "all lists, one after another, in plugin order"},
		{rule: RuleClaim, modes: []Mode{Claim}, kind: kindBool, leads: true,
			meaning: "true claims the event; chibi calls no later plugin"},
		{rule: RuleTexts, modes: folds, kind: kindText,
			meaning: "all texts in plugin order, each with its plugin's name"},
		{rule: RuleTell, modes: []Mode{Gather, Chain, Claim}, kind: kindText,
			meaning: "chibi shows all texts, each with its plugin's name"},
		{rule: RuleHalt, modes: folds, kind: kindBool, leads: true,
			meaning: "true ends the turn, whatever others answer; the first in plugin order gives the message, and chibi " +
				"calls no later plugin"},
		{rule: RuleHaltLast, modes: []Mode{Chain}, kind: kindBool, leads: true,
			meaning: "true ends the turn, whatever others answer; the first in plugin order gives the message, and chibi " +
				"calls the later plugins all the same"},
		{rule: RuleStrictest, modes: folds, kind: kindAny, leads: true,
			meaning: "the strictest: deny (or true), then ask, then allow; of equal ones the first in plugin order. In a " +
				"chain, chibi calls no plugin after a deny, and an allow does not count if a later plugin changes the payload"},
		{rule: RuleWith, modes: []Mode{Gather, Chain, Claim}, kind: kindAny},
	}
}

func factsOf(rule Rule) (ruleFacts, bool) {
	for _, facts := range ruleTable() {
		if facts.rule == rule {
			return facts, true
		}
	}
	return ruleFacts{}, false
}

// rules lists the rules as they are written in tags.
func rules() []Rule { return rulesIn(modes()...) }

// rulesIn lists the rules that have an effect in one of the modes.
func rulesIn(in ...Mode) (rules []Rule) {
	for _, facts := range ruleTable() {
		if slices.ContainsFunc(facts.modes, func(m Mode) bool { return slices.Contains(in, m) }) {
			rules = append(rules, facts.rule)
		}
	}
	return rules
}

// wants describes the type that the field must have.
func (f ruleFacts) wants() string {
	if f.names {
		return "a list of strings"
	}
	return "a " + string(f.kind)
}

// Meaning describes the rule in one sentence, for the documentation.
func (r Rule) Meaning() string {
	facts, _ := factsOf(r)
	return facts.meaning
}

// Rewrites reports whether the rule changes the payload's field of the same name.
func (r Rule) Rewrites() bool { return r == RuleReplace || r == RulePatch }

// answerFields reads the rules from an answer's struct tags. [Validate] reports errors in
// them.
func answerFields(answer reflect.Type) []AnswerField {
	if !isStruct(answer) {
		return nil
	}
	var fields []AnswerField
	for i := range answer.NumField() {
		f := answer.Field(i)
		name := jsonName(f)
		rule, with, _ := strings.Cut(f.Tag.Get("merge"), " ")
		if name == "" || rule == "" {
			continue
		}
		fields = append(fields, AnswerField{Name: name, Rule: Rule(rule), With: with, Among: f.Tag.Get("among")})
	}
	return fields
}
