// Package store has the commands about where contexts are kept: the files of a home, or a
// store that machines share.
package store

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/storage"
	"github.com/chibi-host/chibi/store"
	"github.com/urfave/cli/v2"
)

// Commands lists the commands about stores.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{env.Group("store", "the place of contexts, on this machine or for many machines", []*cli.Command{
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

func initCommand(env *command.Env) *cli.Command {
	var o store.InitOptions
	return env.Command(command.Spec{
		Name: "init", About: "make the store that the configuration names, or its missing parts",
		More: "It changes nothing that exists, except the format number, which it raises: all programs must be new " +
			"enough for that (docs/operating/CLUSTER.md, Upgrades). It says what it made, and what differs from its " +
			"own settings.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "replicas", Usage: "how many servers of NATS keep everything", Value: 3,
				Destination: &o.Replicas},
			&cli.Int64Flag{Name: "max-output-bytes", Usage: "bound the size of all cached outputs; 0: the engine's own bound",
				Destination: &o.OutputBytes, DefaultText: "0"},
		},
		Examples: []string{"chibi-cluster --store nats://localhost:4222/team store init --replicas 1"},
		Run:      func(ctx context.Context, _ []string) error { return initStore(ctx, env, o) },
	})
}

func initStore(ctx context.Context, env *command.Env, o store.InitOptions) error {
	if o.Replicas < 1 || o.OutputBytes < 0 {
		return command.Usage("store init: --replicas is at least 1, and --max-output-bytes at least 0")
	}
	p, err := placeAt(env, "")
	if err != nil {
		return err
	}
	said, err := p.Init(ctx, o)
	for _, text := range said {
		if err := env.Out.Say("%s", text); err != nil {
			return err
		}
	}
	if err == nil && len(said) == 0 {
		err = env.Out.Say("the store %s is there, as it should be", p)
	}
	return err
}

func unlockCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "unlock", Args: "CONTEXT", About: "end the lock of a context that does not end by itself",
		More: "It says whose lock it is, and asks. In a shared store a lock ends by itself when its holder has not renewed " +
			"it; in files it ends with its process, and only so.",
		Flags: []cli.Flag{env.YesFlag("do not ask for confirmation")},
		Run: func(ctx context.Context, args []string) error {
			return opened(ctx, env, func(p storage.Place, c *storage.Contents) error { return unlock(ctx, env, c, args[0]) })
		},
	})
}

func unlock(ctx context.Context, env *command.Env, c *storage.Contents, name string) error {
	if _, err := existing(ctx, c, name); err != nil {
		return err
	}
	holder, inUse := c.Holder(ctx, name)
	switch {
	case !inUse && !c.IsShared():
		return env.Out.Say("nobody uses context %q; its lock ends with the process that has it", name)
	case !inUse:
		return env.Out.Say("nobody uses context %q", name)
	case c.IsShared():
		yes, err := env.Confirm(ctx, fmt.Sprintf("Context %q is in use by %s. If that process still runs, the store "+
			"refuses its next writes. End its lock? [y/N] ", name, holder))
		if err != nil {
			return fmt.Errorf("unlocking context %q, which is in use by %s: %w", name, holder, err)
		}
		if !yes {
			return env.Out.Say("nothing was changed")
		}
	}
	holder, err := c.Unlock(ctx, name)
	if err != nil {
		return err
	}
	return env.Out.Say("context %q is free; it was in use by %s", name, holder)
}
