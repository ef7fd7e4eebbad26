package hookpoints

import (
	"reflect"
	"strings"
)

// Rule says how the values that several plugins answer for one field become
// one value.
type Rule string

// The rules. They stand in the `merge` tag of an answer's field.
const (
	RuleReplace   Rule = "replace"
	RulePatch     Rule = "patch"
	RuleBlock     Rule = "block"
	RuleIntersect Rule = "intersect"
	RuleUnite     Rule = "unite"
	RuleJoin      Rule = "join"
	RuleFirst     Rule = "first"
	RuleAppend    Rule = "append"
	RuleClaim     Rule = "claim"
	// RuleWith marks a field that belongs to another one, as in `merge:"with block"`.
	RuleWith Rule = "with"
)

// Meaning is the rule in one sentence, as the documentation says it.
func (r Rule) Meaning() string {
	switch r {
	case RuleReplace:
		return "replaces the payload's field of the same name; the next plugin receives the new value"
	case RulePatch:
		return "a JSON merge patch (RFC 7396) on the payload's field: objects merge deeply, null deletes, all else replaces"
	case RuleBlock:
		return "true refuses; the first block in plugin order wins and ends the point"
	case RuleIntersect:
		return "lists intersect: only what every plugin names stays"
	case RuleUnite:
		return "lists unite: what any plugin names goes, even if another one includes it"
	case RuleJoin:
		return "texts are joined in plugin order, a blank line between"
	case RuleFirst:
		return "the first non-empty value in plugin order is used; others are reported as unused"
	case RuleAppend:
		return "lists are appended in plugin order"
	case RuleClaim:
		return "true claims the event; nobody else is asked"
	}
	return ""
}

// Rewrites reports whether the rule changes the payload's field of the same name.
func (r Rule) Rewrites() bool { return r == RuleReplace || r == RulePatch }

// answerFields reads the rules from an answer's struct tags. What is wrong with
// them, [Validate] says.
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
