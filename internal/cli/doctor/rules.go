package doctor

import (
	"context"

	"github.com/chibi-host/chibi/internal/app"
)

// rulesToCorrect reports rules of [permissions] that name no tool, and those that mean less than in
// earlier versions.
func rulesToCorrect(_ context.Context, s *app.Session) (found []finding) {
	for _, text := range unknownTools(s) {
		found = append(found, warning(text, "correct its name, or remove it; chibi tool list names the tools"))
	}
	for _, text := range narrowedRules(s) {
		found = append(found, warning(text,
			"write it with (/**) if you mean the project, with (//**) if you mean the whole disk"))
	}
	if len(found) == 0 && app.HasRules(s.Config) {
		found = append(found, fine("every rule of [permissions] names a tool or a category"))
	}
	return found
}
