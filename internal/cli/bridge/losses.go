package bridge

import (
	"context"
	"sync"

	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
)

// losses returns a function that lists the home's plugins that have something without effect in an agent.
// It warns the person, with the reason, if chibi cannot load the plugins.
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
