package permissions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/tools"
)

// Written is a rule as it was written.
type Written struct {
	// Text is the rule, such as "shell_exec(git *)".
	Text string
	// Where is the file and line, or the flag, that it comes from; a flag may be followed by
	// the rule in quotes.
	Where string
}

// lists are all rules, by what they say.
type lists struct{ deny, ask, allow []*rule }

func parseAll(d Decision, written []Written) (list []*rule, err error) {
	for _, w := range written {
		r, err := parseRule(w.Text)
		if err == nil && d == Allow && strings.Contains(r.tool, "*") && !strings.HasPrefix(r.tool, "mcp__") {
			err = errors.New("allow names one tool; only names that begin with mcp__ can have a *")
		}
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", place(d, w.Where), w.Text, err)
		}
		r.source = flagOf(w.Where)
		list = append(list, r)
	}
	return list, nil
}

// place names the list that a rule is in, for errors.
func place(d Decision, where string) string {
	if strings.HasPrefix(where, "--") {
		return flagOf(where)
	}
	return fmt.Sprintf("%s: [permissions] %s", where, d)
}

// flagOf returns the flag of a place that repeats the rule behind it; other places stay.
func flagOf(where string) string {
	if flag, _, ok := strings.Cut(where, ` "`); ok && strings.HasPrefix(where, "--") {
		return flag
	}
	return where
}

// bare judges by the rules that deny or ask all calls of a tool.
func (l *lists) bare(spec tools.Spec) Judgement {
	for _, rule := range l.deny {
		if rule.isBare() && (rule.names(spec) || spec.Category == tools.CategorySearch && rule.forbidsReading()) {
			return Judgement{Decision: Deny, By: rule.by()}
		}
	}
	for _, rule := range l.ask {
		if rule.isBare() && rule.names(spec) {
			return Judgement{Decision: Ask, By: rule.by()}
		}
	}
	return Judgement{}
}

// deniesSome reports whether a rule denies some calls of a tool.
func (l *lists) deniesSome(spec tools.Spec) bool {
	return slices.ContainsFunc(l.deny, func(rule *rule) bool { return rule.names(spec) })
}

// permit returns what the first rule about a tool says that allows a call.
func (l *lists) permit(spec tools.Spec, match func(*rule) bool) Judgement {
	for _, rule := range l.allow {
		if rule.names(spec) && match(rule) {
			return Judgement{Decision: Allow, By: rule.by()}
		}
	}
	return Judgement{}
}

// forbidden returns the strictest of what the rules say that deny and ask.
func (l *lists) forbidden(match func(*rule) certainty) Judgement {
	var asked Judgement
	for _, rule := range l.deny {
		switch match(rule) {
		case certain:
			return Judgement{Decision: Deny, By: rule.by()}
		case possible:
			asked = Judgement{Decision: Ask, By: rule.by(), Doubtful: true,
				Reason: "chibi cannot know before the call whether the rule matches it"}
		}
	}
	for _, rule := range l.ask {
		if match(rule) != no && asked.Decision == Undecided {
			asked = Judgement{Decision: Ask, By: rule.by()}
		}
	}
	return asked
}
