package plugins

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/urfave/cli/v2"
)

func showCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "show", Args: "PLUGIN",
		About:    "show what a plugin can see and do, where it came from, and whether it has changed",
		Flags:    []cli.Flag{env.YesFlag("do not ask for confirmation")},
		Examples: []string{"chibi plugin show my-filter"},
		Run:      func(ctx context.Context, args []string) error { return show(ctx, env, args[0]) },
	})
}

func show(ctx context.Context, env *command.Env, name string) error {
	s, err := openAskingAgain(ctx, env, app.ToRead)
	if err != nil {
		return err
	}
	defer s.Close()
	if isForeign(name) {
		return showForeign(ctx, env, s, name)
	}
	runs, err := describe(env, s, name)
	switch {
	case err != nil:
		return err
	case runs:
		return showSchema(ctx, env, s, name)
	}
	_, err = ask(ctx, env, s, name)
	return err
}

func showForeign(ctx context.Context, env *command.Env, s *app.Session, name string) error {
	p, left, err := findForeign(ctx, s, name)
	switch {
	case err != nil:
		return err
	case left != nil:
		return fmt.Errorf("%s is left out: %s", name, whyLeftOut(left.Reason, left.Untrusted))
	}
	out := env.Out.Screen.Stdout()
	fmt.Fprintf(out, "%s\n  file   %s\n", term.Name(name), term.Name(p.Origin.Path))
	showPowers(out, p)
	return nil
}
