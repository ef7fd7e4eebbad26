package hookpoints

import (
	"slices"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// Refusal returns the answer that blocks or denies at the point, with a message; nil where
// nothing can be blocked.
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
		case slices.ContainsFunc(leading, f.BelongsTo):
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
