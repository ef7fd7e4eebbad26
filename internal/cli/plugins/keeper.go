package plugins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/keeper"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
)

func keeperCommand(env *command.Env) *cli.Command {
	return env.Group("keeper", "processes of resident plugins that chibi keeps between runs", []*cli.Command{
		keeperStatusCommand(env), keeperStopCommand(env), keeperServeCommand(env),
	})
}

func keeperStatusCommand(env *command.Env) *cli.Command {
	var asJSON bool
	return env.Command(command.Spec{
		Name: "status", About: "show whether a keeper runs, and the processes that it holds",
		More:  "A keeper runs if keep is set under [plugins] in config.toml. It starts with a run and ends by itself.",
		Flags: []cli.Flag{command.JSONFlag(&asJSON)},
		Run: ofHome(env, func(_ context.Context, home string) error {
			status, err := keeper.StatusOf(home)
			isRunning := err == nil
			if err != nil && !errors.Is(err, keeper.ErrNone) {
				return err
			}
			if asJSON {
				return env.Out.JSON(keeperStatus{isRunning, status})
			}
			if !isRunning {
				return env.Out.Say("No keeper is running")
			}
			return sayKeeper(env.Out.Screen.Stdout(), status)
		}),
	})
}

// keeperStatus is what `keeper status --json` prints. docs/JSON.md describes its members.
type keeperStatus struct {
	Running bool `json:"running"`
	keeper.Status
}

func sayKeeper(out io.Writer, status keeper.Status) error {
	fmt.Fprintf(out, "The keeper (process %d) holds %s\n", status.Pid,
		english.Plural(len(status.Processes), "process", "processes"))
	var rows [][]string
	for _, h := range status.Processes {
		state := "in use"
		if !h.Busy {
			state = fmt.Sprintf("idle for %s of %s", seconds(h.IdleMS), seconds(h.KeepMS))
		}
		rows = append(rows, []string{"  " + term.Name(h.Plugin), fmt.Sprintf("process %d", h.Pid), state,
			fmt.Sprintf("started %s ago, %s", seconds(h.AgeMS), english.Plural(h.Runs, "run", "")), "in " + term.Name(h.Dir)})
	}
	return output.WriteColumns(out, rows)
}

func seconds(ms int64) string {
	return (time.Duration(ms) * time.Millisecond).Truncate(time.Second).String()
}

func keeperStopCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "stop", About: "end the keeper and the processes that it holds",
		More: "A process that a run still uses ends with that run.",
		Run: ofHome(env, func(ctx context.Context, home string) error {
			status, err := keeper.Stop(ctx, home)
			switch busy := status.Busy(); {
			case errors.Is(err, keeper.ErrNone):
				return env.Out.Say("No keeper is running")
			case err != nil:
				return err
			case busy > 0:
				return env.Out.Say("The keeper ends when the runs that use %s of it have ended",
					english.Plural(busy, "process", "processes"))
			}
			return env.Out.Say("The keeper has ended")
		}),
	})
}

// keeperServeCommand is the keeper itself, which runs start.
func keeperServeCommand(env *command.Env) *cli.Command {
	var keep time.Duration
	c := env.Command(command.Spec{
		Name: "serve", About: "be the keeper of a home; runs start it",
		Flags: []cli.Flag{&cli.DurationFlag{Name: "keep", Usage: "how long it waits for its first run", Destination: &keep}},
		Run: ofHome(env, func(ctx context.Context, home string) error {
			return keeper.Serve(ctx, keeper.Options{Home: home, Keep: keep})
		}),
	})
	c.Hidden = true
	return c
}

// ofHome runs a command on the directory of the home, which is not opened.
func ofHome(env *command.Env, run func(context.Context, string) error) func(context.Context, []string) error {
	return func(ctx context.Context, _ []string) error {
		opts, err := env.Request(app.ToRead)
		if err != nil {
			return err
		}
		home, err := app.Home(opts.Home)
		if err != nil {
			return err
		}
		return run(ctx, home)
	}
}
