// Package doctor has the command that looks for problems in a home.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/urfave/cli/v2"
)

type flags struct{ online, json bool }

// Commands lists the command doctor, of a program that keeps files only.
func Commands(env *command.Env) []*cli.Command { return commands(env, nothing) }

// SharedCommands is like Commands, for a program that also has stores that machines share.
func SharedCommands(env *command.Env) []*cli.Command { return commands(env, sharedStore) }

func commands(env *command.Env, ofStore check) []*cli.Command {
	var f flags
	return []*cli.Command{env.Command(command.Spec{
		Name: "doctor", About: "look for problems in the home, permissions, plugins, guards and transcripts, and say how " +
			"to fix them",
		Flags: []cli.Flag{command.Switch(&f.online, "online", "also check the model's server, and MCP servers with a URL"),
			command.JSONFlag(&f.json)},
		Examples: []string{"chibi doctor", "chibi doctor --online --json"},
		Run:      func(ctx context.Context, _ []string) error { return run(ctx, env, f, checks(ofStore)) },
	})}
}

var errFound = errors.New("there are errors to fix, see above")

func run(ctx context.Context, env *command.Env, f flags, checks []check) error {
	opts, refused := env.Request(app.ToRead)
	home, err := app.Home(opts.Home)
	if err != nil {
		return err
	}
	opts.Plugins.AskAgain = true
	e := &examination{home: home, online: f.online, open: func(ctx context.Context) (*app.Session, error) {
		if refused != nil {
			return nil, refused
		}
		return app.Open(ctx, opts)
	}}
	defer e.close()
	found, err := e.run(ctx, checks)
	if err != nil {
		return err
	}
	if f.json {
		if err := env.Out.JSON(found); err != nil {
			return err
		}
	} else {
		printFindings(env.Out, found)
	}
	if slices.ContainsFunc(found, func(f finding) bool { return f.Level == levelError }) {
		return errFound
	}
	return nil
}

// printFindings prints findings for people, the worst last.
func printFindings(out *command.Printer, found []finding) {
	w := out.Screen.Stdout()
	for _, level := range []level{levelOK, levelWarning, levelError} {
		for _, f := range found {
			if f.Level != level {
				continue
			}
			fmt.Fprintf(w, "%s  %s\n", out.Paint(string(level), fmt.Sprintf("%-7s", level)), term.Line(f.Text))
			if f.Fix != "" {
				fmt.Fprintf(w, "         %s\n", f.Fix)
			}
		}
	}
}
