package hookpoints

import "github.com/chibi-host/chibi/internal/strictjson"

// Refusal returns the answer that blocks or denies at the point, with a message; nil where
// nothing can be blocked.
func (i Info) Refusal(message string) []byte {
	if !i.CanBlock() {
		return nil
	}
	answer, kinds, rules := map[string]any{}, kindsOf(i.Answer), map[string]Rule{}
	for _, f := range i.Fields {
		rules[f.Name] = f.Rule
		switch {
		case f.Rule == RuleBlock, f.Rule == RuleStrictest && kinds[f.Name] == kindBool:
			answer[f.Name] = true
		case f.Rule == RuleStrictest && len(answer) == 0:
			answer[f.Name] = DecisionDeny
		case f.Rule == RuleWith && (rules[f.With] == RuleBlock || rules[f.With] == RuleStrictest):
			answer[f.Name] = message
		}
	}
	text, _ := strictjson.Encode(answer) // texts and true can be encoded
	return text
}
