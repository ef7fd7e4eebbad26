package bridge

import (
	"context"
	"sync"

	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
)

// losses returns what lists the plugins of the home of which something has no effect in an agent.
// The person is told why, if plugins cannot be loaded.
func losses(ctx context.Context, env *command.Env) func(engine.Dialect) []bridge.Loss {
	load := sync.OnceValues(func() (loaded *app.Session, err error) {
		err = env.With(ctx, app.ToRead, func(s *app.Session) error {
			loaded = s
			return s.Load(ctx)
		})
		return loaded, err
	})
	return func(d engine.Dialect) []bridge.Loss {
		s, err := load()
		if err != nil {
			env.Out.Notef("chibi cannot find out which parts of the plugins have no effect in %s: %v", d.Title, err)
			return nil
		}
		return bridge.LossesIn(d, bridge.AskedIn(s.Loaded.Plugins, s.Loader().HooksIn(d.Name)))
	}
}
