package hookpoints

import (
	"reflect"
	"strings"
)

// Rule says how the values of several plugins for one field of the answer are
// combined.
type Rule string

// The rules, as written in the `merge` tag of an answer's field.
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

// Meaning describes the rule in one sentence, for the documentation.
func (r Rule) Meaning() string {
	switch r {
	case RuleReplace:
		return "replaces the payload's field of the same name; the next plugin receives the new value"
	case RulePatch:
		return "a JSON merge patch (RFC 7396) on the payload's field: objects are merged recursively, null deletes, " +
			"any other value replaces"
	case RuleBlock:
		return "true blocks; the first block in plugin order wins and ends the dispatch"
	case RuleIntersect:
		return "intersection of the lists: only names that every plugin lists are kept"
	case RuleUnite:
		return "union of the lists: names that any plugin lists are removed, even if another one includes them"
	case RuleJoin:
		return "texts are joined in plugin order, separated by a blank line"
	case RuleFirst:
		return "the first non-empty value in plugin order is used; others are reported as unused"
	case RuleAppend:
		return "lists are appended in plugin order"
	case RuleClaim:
		return "true claims the event; no other plugin is asked"
	}
	return ""
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
