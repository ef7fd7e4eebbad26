package bridge

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/keeper"
	"github.com/urfave/cli/v2"
)

const serveHelp = "A program that is a plugin of an agent starts this command once in a session, and writes each " +
	"event on a line: {\"id\":1,\"event\":\"PreToolUse\",\"payload\":{...}}. The answer is a line too: " +
	"{\"id\":1,\"stdout\":\"...\",\"stderr\":\"\",\"exit\":0}, what chibi bridge run would write, and its exit " +
	"status. Events may come before earlier ones are answered. It ends when standard input does."

func serveCommand(env *command.Env) *cli.Command {
	var session string
	var keep time.Duration
	sessionFlag := &cli.StringFlag{Name: "session", Hidden: true, Destination: &session}
	keepFlag := &cli.DurationFlag{Name: "keep", Hidden: true, Destination: &keep}
	return env.Command(command.Spec{
		Name: "serve", Args: "AGENT", About: "answer the events of a session of another agent, a line for each",
		More:  serveHelp,
		Flags: []cli.Flag{sessionFlag, keepFlag},
		Run: func(ctx context.Context, args []string) error {
			agent, err := agentNamed(args[0])
			if err != nil {
				return err
			}
			opts, err := env.Request(app.ToBridge)
			if err != nil {
				return err
			}
			host := bridge.NewHost(opts, agent)
			host.Start = starter(opts.Home, agent.Name)
			defer host.Close()
			if session == "" {
				return host.ServeLines(ctx, env.Stdin, env.Out.Screen.Stdout())
			}
			own := os.Args[1:max(1, slices.Index(os.Args, "--keep"))]
			if err := host.Serve(ctx, session, own, keep); !errors.Is(err, keeper.ErrRuns) {
				return err
			}
			return nil
		},
	})
}
