package plugin

import (
	"fmt"
	"strconv"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/tools"
	"github.com/dustin/go-humanize/english"
)

// Unseen is a plugin's tool that seems to do something that guards and rules are about, and
// that they do not see because it has no category.
type Unseen struct {
	Tool tools.Spec
	tools.Undeclared
	// By names the plugins and the rules that would see its calls if it had a category; nil: there are none at present.
	By []string
}

// Unseen examines a tool; false: it is not such a tool. rules names the rules that would hold for it
// if it had a category; nil: there are none.
func (h *Host) Unseen(spec tools.Spec, rules func(tools.Spec, tools.Category) []string) (Unseen, bool) {
	undeclared, ok := tools.UndeclaredOf(spec)
	if !ok {
		return Unseen{}, false
	}
	u := Unseen{Tool: spec, Undeclared: undeclared}
	if h.IsHeard(u.point()) {
		for _, p := range h.Plugins {
			if p.Subscribes(u.point()) {
				u.By = append(u.By, "plugin "+strconv.Quote(p.Name))
			}
		}
	}
	if rules != nil {
		u.By = append(u.By, rules(spec, u.Category)...)
	}
	return u, true
}

// point is the permission point of the category.
func (u Unseen) point() hookpoints.Name {
	switch u.Category {
	case tools.CategoryShell:
		return hookpoints.PreShellExec.Name
	case tools.CategoryFetch:
		return hookpoints.PreFetchURL.Name
	}
	return hookpoints.PreFileWrite.Name
}

// String says what is wrong with the tool and who does not see its calls.
func (u Unseen) String() string {
	who := fmt.Sprintf("guards, rules and questions about %s", u.Category)
	verb := "do"
	if len(u.By) > 0 {
		who, verb = english.WordSeries(u.By, "and"), english.PluralWord(len(u.By), "does", "do")
	}
	return fmt.Sprintf("takes %q and has no category: %s %s not see its calls", u.Subject, who, verb)
}

// Remedy says what its author should do.
func (u Unseen) Remedy() string {
	not := map[tools.Category]string{tools.CategoryShell: "runs no commands", tools.CategoryFetch: "fetches nothing",
		tools.CategoryWrite: "writes no files"}[u.Category]
	return fmt.Sprintf(`add "category": %q, "subject": %q to its --schema, or "category": "none" if it %s`, u.Category,
		u.Subject, not)
}
