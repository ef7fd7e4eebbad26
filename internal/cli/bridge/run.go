package bridge

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/urfave/cli/v2"
)

const runHelp = "An agent runs this command by itself at each of its events: chibi bridge add writes it into the " +
	"agent's settings. It reads the agent's payload on standard input, asks the plugins at the hook " +
	"points that mean the same, and answers in the agent's words. The trace shows its work: chibi trace --agent AGENT."

func runCommand(env *command.Env) *cli.Command {
	var failClosed bool
	var deadline time.Duration
	var job string
	c := env.Command(command.Spec{
		Name: "run", Args: "AGENT EVENT", About: "answer one event of another agent; agents run this themselves",
		More: runHelp,
		Flags: []cli.Flag{
			command.Switch(&failClosed, "fail-closed", "deny every event that chibi cannot ask plugins about"),
			&cli.DurationFlag{Name: "deadline", Usage: "plugins that have not answered after `TIME` have failed",
				DefaultText: bridge.Deadline.String(), Destination: &deadline},
			&cli.StringFlag{Name: "behind", Usage: "ask the hook of the job in `FILE` in the background", Hidden: true,
				Destination: &job},
		},
		Examples: []string{`echo '{"tool_name":"Bash","tool_input":{"command":"ls"}}' | chibi bridge run claude PreToolUse`},
		Run: func(ctx context.Context, args []string) error {
			agent, err := agentNamed(args[0])
			if err != nil {
				return err
			}
			opts, err := env.Request(app.ToBridge)
			if err != nil {
				return err
			}
			if job != "" {
				return bridge.Finish(ctx, job, opts)
			}
			if _, known := agent.Event(args[1]); !known {
				env.Out.Notef("%s has no event %s that chibi knows, so no plugin answers it; chibi bridge show %s lists its events",
					agent.Title, term.Name(args[1]), agent.Name)
			}
			event := bridge.Event{Agent: agent, Name: args[1], Options: opts, FailClosed: failClosed, Deadline: deadline,
				Start: starter(opts.Home, agent.Name), Globals: globals(os.Args)}
			return answer(ctx, env, event)
		},
	})
	return c
}

// starter returns what starts this command for a job of an event, in a process that this one does not wait
// for; nil on Windows, where nothing outlives this process.
func starter(home, agent string) bridge.Starter {
	if runtime.GOOS == "windows" {
		return nil
	}
	return func(event, job string) error {
		home, err := app.Home(home)
		if err != nil {
			return err
		}
		chibi, err := os.Executable()
		if err != nil {
			return err
		}
		args := []string{"--home", home, "bridge", "run", "--behind", job, agent, event}
		return process.Runner{}.Detach(process.Command{Path: chibi, Args: args})
	}
}

// globals returns the arguments of this program before the command.
func globals(args []string) []string {
	end := slices.Index(args, "bridge") // a value that is the same word ends them early, which costs a process that ends
	return args[1:max(1, end)]
}

// answer answers the event on standard output. Every agent reads it at exit status 0.
func answer(ctx context.Context, env *command.Env, event bridge.Event) error {
	out := event.Answer(ctx, env.Stdin)
	if _, err := env.Out.Screen.Stdout().Write(out.Stdout); err != nil {
		return err
	}
	fmt.Fprint(env.Out.Screen.Stderr(), out.Stderr)
	return nil
}
