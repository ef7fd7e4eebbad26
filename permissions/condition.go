package permissions

import "github.com/chibi-host/chibi/permissions/internal/commandline"

// Condition is a rule that says which calls something is about, such as a hook of another agent.
// It is immutable, and safe for concurrent use.
type Condition struct{ rules *Rules }

// NewCondition reads a rule. Of the settings, it uses only the places. Errors say what is wrong with
// the rule.
func NewCondition(text string, s Settings) (Condition, error) {
	r, err := parseRule(text)
	if err != nil {
		return Condition{}, err
	}
	return Condition{&Rules{lists: lists{ask: []*rule{r}}, places: newPlaces(s)}}, nil
}

// Concerns reports whether the rule is about a call. It also reports true if nobody can know before the
// call: for a command that cannot be examined, or an argument that is known only when it runs.
func (c Condition) Concerns(call Call) bool {
	rule, spec := c.rules.ask[0], call.Tool
	isNamed := rule.names(spec) || isWritten(spec.Category) && rule.isWriting() && isCategory(rule.tool)
	if !isNamed || rule.isBare() {
		return isNamed
	}
	switch kindOf(spec.Category) {
	case aboutCommands:
		line, err := commandline.Parse(call.Access.Command)
		if err != nil {
			return true
		}
		about := commandRules{Rules: c.rules, call: call, line: line, ask: c.rules.ask}
		return about.forbidden().Decision != Undecided
	case aboutFiles:
		f := fileCall{c.rules, spec, file{call.Access.Path, call.Access.Real}}
		return rule.notPath != nil || !f.isKnown() || f.either(rule, f.file)
	case aboutDomains:
		return rule.notDomain != nil || rule.domain.concerns(call.Access) != no
	}
	return true
}
