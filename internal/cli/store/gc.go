package store

import (
	"context"

	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/storage"
	"github.com/urfave/cli/v2"
)

// gcCommand returns the command that cleans up.
func gcCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "gc", About: "remove expired contexts, old tool outputs and what was left by what was interrupted",
		More: "A run does it by itself, at most once a day; in a shared store, one machine does it for all.",
		Run: func(ctx context.Context, _ []string) error {
			return opened(ctx, env, func(p storage.Place, c *storage.Contents) error { return collect(ctx, env, p, c) })
		},
	})
}

func collect(ctx context.Context, env *command.Env, p storage.Place, c *storage.Contents) error {
	removed := false
	err := p.Collect(ctx, c, func(text string) {
		removed = true
		env.Out.Say("%s", text)
	})
	if err == nil && !removed {
		err = env.Out.Say("there is nothing to remove")
	}
	return err
}
