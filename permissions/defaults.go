package permissions

import (
	"fmt"

	"github.com/chibi-host/chibi/tools"
)

// Default decides what neither a rule nor a hook decides: reading and searching inside the
// roots is allowed, also agents, whose tools ask, and tools without a category. All else
// is asked.
func (r *Rules) Default(c Call) Judgement {
	j := Judgement{Decision: Ask, By: fmt.Sprintf("the default for %s", c.Tool.Category)}
	switch c.Tool.Category {
	case tools.CategoryAgent:
		j.Decision = Allow
	case "":
		return Judgement{Decision: Allow, By: "the default for tools without a category"}
	case tools.CategoryShell:
		if !r.isInside(c.Access.Dir) {
			j.Reason = fmt.Sprintf("it would run in %s, and rules allow commands inside the roots only", c.Access.Dir)
		}
	case tools.CategoryRead, tools.CategorySearch:
		if isIn(r.roots, file{c.Access.Path, c.Access.Real}) {
			return Judgement{Decision: Allow, By: j.By + " inside the roots"}
		}
		j.By += " outside the roots"
	}
	return j
}
