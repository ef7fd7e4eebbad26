package hookpoints

import (
	"reflect"
	"slices"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// Refusing lists the fields with which an answer refuses at the point, and the fields with which it says
// why: the point's own first, then the other [Words]. A point that cannot block has no such fields.
func (i Info) Refusing() (no, why []string) {
	if !i.CanBlock() {
		return nil, nil
	}
	for _, rule := range [...]Rule{RuleBlock, RuleStrictest} {
		for _, f := range i.Fields {
			if f.Rule == rule {
				no = append(no, f.Name)
			}
		}
		for _, f := range i.Fields {
			if slices.ContainsFunc(no, f.BelongsTo) && !slices.Contains(why, f.Name) {
				why = append(why, f.Name)
			}
		}
	}
	for _, word := range [...]string{"block", "denied", "decision"} {
		if i.ruleOf(word) == "" {
			no = append(no, word)
		}
	}
	for _, word := range [...]string{"message", "reason"} {
		if rule := i.ruleOf(word); !slices.Contains(why, word) && (rule == "" || rule == RuleWith) {
			why = append(why, word)
		}
	}
	return no, why
}

// OtherWords describes the [Words] that the answer of the point does not teach. A point that
// cannot block has no such words.
func (i Info) OtherWords() []Field {
	if !i.CanBlock() {
		return nil
	}
	isTaught := func(word Field) bool { return i.ruleOf(word.Name) != "" }
	return slices.DeleteFunc(Fields(reflect.TypeFor[Words]()), isTaught)
}

// ruleOf returns the rule of a field of the answer, "" if there is no such field.
func (i Info) ruleOf(name string) Rule {
	for _, f := range i.Fields {
		if f.Name == name {
			return f.Rule
		}
	}
	return ""
}

// IsNoOpinion reports whether a member of an answer, with its raw value, says only that the
// plugin does not refuse: nobody expects an effect of it, at any point.
func IsNoOpinion(name, value string) bool {
	return value == "false" && (name == "block" || name == "denied")
}

// Refusal returns the answer that blocks or denies at the point, with a message unless that is
// empty; nil at a point that cannot block.
func (i Info) Refusal(message string) []byte {
	if !i.CanBlock() {
		return nil
	}
	answer, leading := map[string]any{}, i.refusing()
	for _, f := range i.Fields {
		switch {
		case f.Name == leading[0] && f.Rule == RuleStrictest && kindsOf(i.Answer)[f.Name] != kindBool:
			answer[f.Name] = DecisionDeny
		case f.Name == leading[0]:
			answer[f.Name] = true
		case message != "" && slices.ContainsFunc(leading, f.BelongsTo):
			answer[f.Name] = message
		}
	}
	text, _ := strictjson.Encode(answer) // texts and true can be encoded
	return text
}

// refusing lists the fields that can block; or else those that can deny, a bool first.
func (i Info) refusing() (names []string) {
	kinds := kindsOf(i.Answer)
	for _, rule := range []Rule{RuleBlock, RuleStrictest} {
		for _, f := range i.Fields {
			switch {
			case f.Rule != rule:
			case kinds[f.Name] == kindBool:
				names = slices.Insert(names, 0, f.Name)
			default:
				names = append(names, f.Name)
			}
		}
		if names != nil {
			break
		}
	}
	return names
}
