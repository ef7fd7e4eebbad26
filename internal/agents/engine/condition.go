package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/tools"
)

// Concerning reads a rule of chibi's permissions and returns what reports whether it is about a
// call, or may be.
type Concerning func(rule string) (func(spec tools.Spec, arguments json.RawMessage) bool, error)

// condition returns what reports whether the rule of a handler is about a moment; nil: it has no
// rule.
func (h Handler) condition(d Dialect, e Event, read Concerning) (func(Moment) bool, error) {
	switch {
	case h.If == "" || !d.Shape.Conditions:
		return nil, nil
	case e.Matches != ToolName:
		return nil, fmt.Errorf("its %q is a rule about calls of tools, so that %s never runs it at %s", "if", d.Title, e.Name)
	case read == nil:
		return nil, errors.New("rules about calls are not read here")
	}
	concerns, err := read(ruleOf(d, h.If))
	if err != nil {
		return nil, fmt.Errorf("if: %q is no rule: %w", h.If, err)
	}
	return func(m Moment) bool {
		spec := tools.Spec{Name: m.Text(ToolName), Category: tools.Category(m.Text(ToolCategory)),
			Subject: m.Text(ToolSubject)}
		return concerns(spec, m.Values[ToolInput])
	}, nil
}

// ruleOf returns a rule in chibi's names: of a category, where the agent has one tool for it.
func ruleOf(d Dialect, text string) string {
	name, specifier, hasSpecifier := strings.Cut(text, "(")
	name = strings.TrimSpace(name)
	ours := d.OursOf([]string{name})[0]
	if c := d.Tools.Ours(name, nil).Category; c != "" && c != tools.CategorySearch {
		ours = string(c)
	}
	if hasSpecifier {
		ours += "(" + specifier
	}
	return ours
}

// capped leaves out that the turn goes on, after as many times as the handler's agent allows.
func capped(h *hook, m Moment, eff Effect) Effect {
	limit := h.dialect.MaxContinuations
	if h.handler.LoopLimit != nil {
		limit = *h.handler.LoopLimit
	}
	done := int(m.number(FollowUps))
	if h.event.Kind != Stop || eff.Decision != hookpoints.DecisionDeny || done < limit ||
		limit == 0 && h.handler.LoopLimit == nil {
		return eff
	}
	eff.note("the turn ends all the same: it has gone on %d times, and %s lets a hook continue it %d times", done,
		h.dialect.Title, limit)
	eff.Decision, eff.Reason = "", ""
	return eff
}
