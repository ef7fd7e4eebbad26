package doctor

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/app"
)

// lostInAgents finds plugins of which something has no effect in the agents that the home is bridged to.
func lostInAgents(_ context.Context, s *app.Session) (found []finding) {
	for _, d := range bridge.AgentsOf(s.Home) {
		for _, loss := range bridge.LossesIn(d, s.Loaded.Plugins) {
			found = append(found, warning(fmt.Sprintf("plugin %q in %s: %s", loss.Plugin, d.Title, loss.Text),
				"chibi bridge show "+d.Name))
		}
	}
	return found
}
