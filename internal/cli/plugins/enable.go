package plugins

import (
	"context"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/urfave/cli/v2"
)

func enableCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "enable", Args: "PLUGIN", About: "enable a plugin or hook of any protocol",
		Examples: []string{"chibi plugin enable my-filter"},
		Run: func(ctx context.Context, args []string) error {
			return env.ReadHome(ctx, func(s *app.Session) error { return enable(ctx, env, s, args[0]) })
		},
	})
}

func disableCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "disable", Args: "PLUGIN", About: "leave a plugin or hook out, and keep its file",
		Examples: []string{"chibi plugin disable kodelet:guard"},
		Run: func(ctx context.Context, args []string) error {
			return env.ReadHome(ctx, func(s *app.Session) error { return disable(ctx, env, s, args[0]) })
		},
	})
}
