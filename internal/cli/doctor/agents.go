package doctor

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/internal/agents/theirs"
	"github.com/chibi-host/chibi/internal/app"
)

// hooksOfAgents finds mistakes in the hooks of coding agents, and hooks that are not turned on.
func hooksOfAgents(_ context.Context, s *app.Session) (found []finding) {
	for _, f := range theirs.Check(app.HooksOf(s), s.Agent.Tools) {
		found = append(found, warning(fmt.Sprintf("hook %q: %s", f.Name, f.Text), f.Fix))
	}
	for _, u := range theirs.Unused(app.HooksOf(s)) {
		found = append(found, fine(u.String()))
	}
	return found
}
