package store

import (
	"context"

	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/store"
	"github.com/urfave/cli/v2"
)

func initCommand(env *command.Env) *cli.Command {
	var o store.InitOptions
	return env.Command(command.Spec{
		Name: "init", About: "make the store that the configuration names, or what of it is missing",
		More: "It changes nothing that is there, but for the format number, which it raises: all programs must be new " +
			"enough for that (docs/CLUSTER.md, Upgrades). It says what it made, and what differs from what it would have made.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "replicas", Usage: "on how many servers of NATS everything is kept", Value: 3,
				Destination: &o.Replicas},
			&cli.Int64Flag{Name: "max-output-bytes", Usage: "bound cached outputs together; 0: as the engine does",
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
