// Package store has the commands about where contexts are kept: the files of a home, or a
// store that machines share.
package store

import (
	"context"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/storage"
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
func placeAt(env *command.Env, word string) (storage.Place, error) {
	opts, err := env.Request(app.ToRead)
	if err != nil {
		return storage.Place{}, err
	}
	return app.StorePlaceAt(opts, word)
}

// opened calls do with the contexts of the home, wherever they are kept.
func opened(ctx context.Context, env *command.Env, do func(storage.Place, *storage.Contents) error) error {
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
