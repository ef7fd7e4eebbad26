package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/storage"
	"github.com/urfave/cli/v2"
)

func settingsCommand(env *command.Env) *cli.Command {
	var how change
	return env.Command(command.Spec{
		Name: "settings", Args: "CONTEXT", About: "show the settings of a context, its local.toml, or replace them",
		More: "A context that machines share may have settings that it must not have, from an older version or from " +
			"another writer of the store. chibi then answers no prompt in it, and --save changes nothing, until you " +
			"replace them.",
		Flags: []cli.Flag{command.Switch(&how.replace, "replace", "put standard input in their place"),
			command.Switch(&how.remove, "remove", "remove them")},
		Examples: []string{"chibi-cluster store settings work > work.toml",
			"chibi-cluster store settings work --replace < work.toml"},
		Run: func(ctx context.Context, args []string) error {
			return opened(ctx, env, func(p storage.Place, c *storage.Contents) error {
				work, err := existing(ctx, c, args[0])
				switch {
				case err != nil:
					return err
				case how.replace && how.remove:
					return command.Usage("store settings: --replace and --remove exclude each other")
				case how.replace:
					return replaceSettings(ctx, env, p, work)
				case how.remove:
					return changeSettings(env, work, "")
				}
				return showSettings(ctx, env, work)
			})
		},
	})
}

type change struct{ replace, remove bool }

func existing(ctx context.Context, c *storage.Contents, name string) (*contexts.Context, error) {
	work, err := c.Context(name)
	if err != nil {
		return nil, app.UsageError{Err: err}
	}
	if !c.Exists(ctx, name) {
		return nil, command.Usage("there is no context %q", name)
	}
	return work, nil
}

func showSettings(ctx context.Context, env *command.Env, work *contexts.Context) error {
	text, err := work.LocalConfig(ctx)
	if err != nil {
		return err
	}
	if text == "" {
		env.Out.Notice(fmt.Sprintf("context %q has no settings", work.Name()))
		return nil
	}
	return env.Out.Say("%s", strings.TrimSuffix(text, "\n"))
}

// replaceSettings stores what standard input has. It is an error if it does not count there, or
// cannot be read as settings.
func replaceSettings(ctx context.Context, env *command.Env, p storage.Place, work *contexts.Context) error {
	text, err := command.ReadAll(ctx, env.Stdin, config.MaxFileBytes)
	if err != nil {
		return fmt.Errorf("reading the settings from standard input: %w", err)
	}
	if strings.TrimSpace(text) == "" {
		return command.Usage("store settings --replace: standard input is empty; nothing was changed. --remove removes them")
	}
	if err := app.CheckLocalConfig(p, work.Name(), text); err != nil {
		return app.UsageError{Err: fmt.Errorf("%w; nothing was changed", err)}
	}
	return changeSettings(env, work, text)
}

func changeSettings(env *command.Env, work *contexts.Context, text string) error {
	if err := work.ChangeLocalConfig(func(string) (string, error) { return text, nil }); err != nil {
		return err
	}
	if text == "" {
		return env.Out.Say("context %q has no settings now", work.Name())
	}
	return env.Out.Say("context %q has these settings now", work.Name())
}
