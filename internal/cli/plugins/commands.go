// Package plugins has the commands about plugins.
package plugins

import (
	"context"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/workbench/installed"
	"github.com/urfave/cli/v2"
)

// Commands lists the commands about plugins.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{env.Group("plugin", "find, write, test and manage plugins", []*cli.Command{
		listCommand(env), newCommand(env), checkCommand(env), testCommand(env), watchCommand(env), installCommand(env),
		showCommand(env), enableCommand(env), disableCommand(env), removeCommand(env),
		keeperCommand(env),
	})}
}

// openAskingAgain opens a session that also asks plugins that hung a short while ago.
func openAskingAgain(ctx context.Context, env *command.Env, purpose app.Purpose) (*app.Session, error) {
	opts, err := env.Request(purpose)
	if err != nil {
		return nil, err
	}
	opts.Plugins.AskAgain = true
	return app.Open(ctx, opts)
}

func directory(env *command.Env, s *app.Session) installed.Dir {
	return installed.Dir{Path: s.Loader().Dir(), Home: s.Home, Report: env.Out.Notice}
}
