package plugins

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/schemas"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/urfave/cli/v2"
)

func removeCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "remove", Args: "PLUGIN", About: "delete a plugin's file or directory, or its link",
		Flags:    []cli.Flag{env.YesFlag("do not ask for confirmation")},
		Examples: []string{"chibi plugin remove my-filter"},
		Run: func(ctx context.Context, args []string) error {
			return env.ReadHome(ctx, func(s *app.Session) error { return remove(ctx, env, s, args[0]) })
		},
	})
}

// remove deletes a plugin if the person agrees, and what the configuration and the
// list of installed plugins say of it.
func remove(ctx context.Context, env *command.Env, s *app.Session, name string) error {
	dir := directory(env, s)
	info, err := dir.Stat(name)
	if err != nil {
		return command.Usage("there is no plugin %q in %s", name, dir.Path)
	}
	path := dir.File(name)
	question := fmt.Sprintf("Delete %s? [y/N] ", path)
	if info.Mode()&fs.ModeSymlink != 0 {
		question = fmt.Sprintf("Delete the link %s? What it leads to stays. [y/N] ", path)
	}
	if ok, err := env.Confirm(ctx, question); err != nil || !ok {
		return errors.Join(err, env.Out.Say("Nothing was deleted"))
	}
	if err := forbidLink(s, path); err != nil {
		return err
	}
	if err := dir.Remove(name); err != nil {
		return err
	}
	if err := setEnabled(s, name, true); err != nil {
		return err
	}
	if err := dir.Forget(name); err != nil {
		return err
	}
	if err := schemas.ForgetGuard(s.Home, s.Loader().Dir(), name); err != nil {
		return err
	}
	return env.Out.Say("Plugin %s is removed", term.Name(name))
}
