package plugins

import (
	"context"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/schemas"
	"github.com/chibi-host/chibi/internal/term"
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

// enable enables a plugin of any protocol, also one that its file's name disables.
func enable(ctx context.Context, env *command.Env, s *app.Session, name string) error {
	isDisabledByName, err := find(ctx, env, s, name)
	if err == nil && isDisabledByName {
		err = directory(env, s).Enable(name)
	}
	if err == nil {
		err = setEnabled(s, name, true)
	}
	if err != nil {
		return err
	}
	return env.Out.Say("Plugin %s is enabled", term.Name(name))
}

// disable disables a plugin of any protocol.
func disable(ctx context.Context, env *command.Env, s *app.Session, name string) error {
	isDisabledByName, err := find(ctx, env, s, name)
	switch {
	case err != nil:
		return err
	case isDisabledByName:
		return env.Out.Say("%s is disabled by its name already", term.Name(name))
	}
	if err := setEnabled(s, name, false); err != nil {
		return err
	}
	if err := schemas.ForgetGuard(s.Home, s.Loader().Dir(), name); err != nil {
		return err
	}
	return env.Out.Say("Plugin %s is disabled", term.Name(name))
}

// find returns an error if there is no plugin of this name, of any protocol. It reports
// whether the plugin's file has a name that disables it.
func find(ctx context.Context, env *command.Env, s *app.Session, name string) (isDisabledByName bool, err error) {
	dir := directory(env, s)
	switch {
	case dir.Has(name):
		return false, nil
	case dir.HasDisabled(name):
		return true, nil
	case isForeign(name):
		_, _, err := findForeign(ctx, s, name)
		return false, err
	}
	return false, command.NoPlugin(name)
}
