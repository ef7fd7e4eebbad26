package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/tools"
)

// Concerning reads a rule of chibi's permissions and returns what reports whether it is about a
// call, or may be.
type Concerning func(rule string) (func(spec tools.Spec, arguments json.RawMessage) bool, error)

// condition returns what reports whether the rule of a handler is about a moment; nil: it has no
// rule.
func condition(h settings.Handler, d engine.Dialect, e engine.Event, read Concerning) (func(engine.Moment) bool,
	error) {
	switch {
	case h.If == "" || !d.Shape.Conditions:
		return nil, nil
	case e.Matches != engine.ToolName:
		return nil, fmt.Errorf("its %q is a rule about calls of tools, so that %s never runs it at %s", "if", d.Title, e.Name)
	case read == nil:
		return nil, errors.New("rules about calls are not read here")
	}
	concerns, err := read(ruleOf(d, h.If))
	if err != nil {
		return nil, fmt.Errorf("if: %q is no rule: %w", h.If, err)
	}
	return func(m engine.Moment) bool {
		spec := tools.Spec{Name: m.Text(engine.ToolName), Category: tools.Category(m.Text(engine.ToolCategory)),
			Subject: m.Text(engine.ToolSubject)}
		return concerns(spec, m.Values[engine.ToolInput])
	}, nil
}

// ruleOf returns a rule in chibi's names: of a category, where the agent has one tool for it.
func ruleOf(d engine.Dialect, text string) string {
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
