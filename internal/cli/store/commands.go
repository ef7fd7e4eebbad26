// Package store has the commands about where contexts are kept: the files of a home, or a
// store that machines share.
package store

import (
	"context"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/urfave/cli/v2"
)

// Commands lists the commands about stores.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{env.Group("store", "where contexts are kept, on this machine or for many", []*cli.Command{
		initCommand(env), statusCommand(env), copyCommand(env), gcCommand(env), checkCommand(env), settingsCommand(env),
		unlockCommand(env),
	})}
}

// placeAt returns the place that a word names; "" is where the home keeps its contexts.
func placeAt(env *command.Env, word string) (app.StorePlace, error) {
	opts, err := env.Request(app.ToRead)
	if err != nil {
		return app.StorePlace{}, err
	}
	return app.StorePlaceAt(opts, word)
}

func opened(ctx context.Context, env *command.Env, do func(app.StorePlace, *app.Contents) error) error {
	p, err := placeAt(env, "")
	if err != nil {
		return err
	}
	c, err := p.Contents(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	return do(p, c)
}
