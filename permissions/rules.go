package permissions

import (
	"slices"

	"github.com/chibi-host/chibi/tools"
)

// Settings are what rules are made from.
type Settings struct {
	// Deny, Ask and Allow are the rules of all places together. A rule of one list beats the rules of
	// the lists after it; in a list, the order does not matter.
	Deny, Ask, Allow []Written
	// Root is the root of the project, "" if there is none. Patterns of paths begin there,
	// or in Dir if there is no root.
	Root string
	// Dir is the working directory.
	Dir string
	// ReadRoots and WriteRoots are further directories in which the model reads without a question,
	// and in which AcceptEdits allows writing.
	ReadRoots, WriteRoots []string
	// ChibiHome is chibi's home, and UserHome the home directory of the person.
	ChibiHome, UserHome string
	// AcceptEdits allows writing and editing files in Root and WriteRoots, unless a rule denies it or asks.
	AcceptEdits bool
}

// Rules judge calls by rules, protections and the defaults of categories. They are
// immutable, and safe for concurrent use.
type Rules struct {
	lists
	places
	acceptEdits bool
}

var _ Policy = (*Rules)(nil)

// NewRules makes rules. Errors name the place of the rule, the rule, and what is wrong.
func NewRules(s Settings) (*Rules, error) {
	r := &Rules{places: newPlaces(s), acceptEdits: s.AcceptEdits}
	var err error
	if r.deny, err = parseAll(Deny, s.Deny); err != nil {
		return nil, err
	}
	if r.ask, err = parseAll(Ask, s.Ask); err != nil {
		return nil, err
	}
	if r.allow, err = parseAll(Allow, s.Allow); err != nil {
		return nil, err
	}
	return r, nil
}

// Judge returns what the rules say about a call, undecided if none does.
func (r *Rules) Judge(c Call) Judgement {
	var j Judgement
	switch kindOf(c.Tool.Category) {
	case aboutCommands:
		j = r.judgeCommand(c)
	case aboutFiles:
		j = fileCall{r, c.Tool, file{c.Access.Path, c.Access.Real}}.judge()
	case aboutDomains:
		j = r.judgeURL(c)
	case aboutNothing:
		j = r.judgeOther(c)
	}
	return Strictest(r.bare(c.Tool), j)
}

// Offers reports whether the model should be offered a tool: no rule denies all its calls.
func (r *Rules) Offers(spec tools.Spec) bool { return r.bare(spec).Decision != Deny }

// WouldJudge names the rules that deny or ask, and that would hold for a tool without a category if
// it had one.
func (r *Rules) WouldJudge(spec tools.Spec, c tools.Category) (list []string) {
	with := spec
	with.Category = c
	for _, rule := range slices.Concat(r.deny, r.ask) {
		isAbout := rule.names(with) || kindOf(c) == aboutFiles && fileCall{spec: with}.isAbout(rule) ||
			kindOf(c) == aboutDomains && rule.forbidsFetching()
		if isAbout && !rule.names(spec) {
			list = append(list, rule.by())
		}
	}
	return list
}

// MayRead reports whether a search may show a file's name and contents. real is
// its path with all links resolved.
func (r *Rules) MayRead(real string) bool {
	f := file{real, real}
	for _, list := range [][]*rule{r.deny, r.ask} {
		for _, rule := range list {
			if rule.forbidsReading() && (rule.isBare() || rule.notPath != nil || r.either(rule, f)) {
				return false
			}
		}
	}
	return !r.isPrivate(real)
}

func (r *Rules) judgeURL(c Call) Judgement {
	match := func(rule *rule) certainty {
		switch {
		case rule.isBare() || !rule.names(c.Tool) && !rule.forbidsFetching():
			return no
		case rule.notDomain != nil:
			return possible
		}
		return rule.domain.concerns(c.Access)
	}
	return Strictest(r.forbidden(match), r.permit(c.Tool, func(rule *rule) bool { return rule.allowsFetch(c.Access) }))
}

// judgeOther judges a call of a tool whose rules have no specifiers. If one has a specifier
// nevertheless, the decision is to ask.
func (r *Rules) judgeOther(c Call) Judgement {
	return Strictest(r.forbidden(maybe(c.Tool)), r.permit(c.Tool, (*rule).isBare))
}

// maybe matches the rules for a tool that have a specifier, of which it is not known whether
// it fits the call.
func maybe(tool tools.Spec) func(*rule) certainty {
	return func(rule *rule) certainty {
		if rule.names(tool) && !rule.isBare() {
			return possible
		}
		return no
	}
}
