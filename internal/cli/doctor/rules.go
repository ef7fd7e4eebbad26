package doctor

import (
	"context"

	"github.com/chibi-host/chibi/internal/app"
)

// rulesAboutNothing reports rules of [permissions] that name no tool.
func rulesAboutNothing(_ context.Context, s *app.Session) (found []finding) {
	for _, text := range app.UnknownTools(s) {
		found = append(found, warning(text, "correct its name, or remove it; chibi tool list names the tools"))
	}
	if len(found) == 0 && app.HasRules(s.Config) {
		found = append(found, fine("every rule of [permissions] names a tool or a category"))
	}
	return found
}
