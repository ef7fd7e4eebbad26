// Package trace has the commands that show what happened in turns, and repeat what
// plugins were asked in them.
package trace

import (
	"context"

	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/urfave/cli/v2"
)

// Commands lists the commands about traces.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{traceCommand(env), replayCommand(env)}
}

// traceFlags are the flags of the command trace.
type traceFlags struct {
	turn         int
	plugin, html string
	follow, json bool
	cases        string
}

func traceCommand(env *command.Env) *cli.Command {
	var f traceFlags
	return env.Command(command.Spec{
		Name: "trace", Args: "[FILE] [ABOUT]",
		About: "show what plugins did in the newest turn; \"trace explain [ABOUT]\" says it in sentences: of all, or of a " +
			"plugin, a tool, a hook, a place in the request (temperature, api.temperature), prompt, system_prompt, a " +
			"context, the number of a turn",
		Flags: []cli.Flag{
			turnFlag(&f.turn),
			&cli.StringFlag{Name: "plugin", Usage: "only what the plugin `NAME` did", Destination: &f.plugin},
			command.Switch(&f.follow, "follow", "go on with new turns as they come, until Ctrl-C"),
			&cli.StringFlag{Name: "html", Usage: "write all turns as a page to `FILE`", Destination: &f.html},
			&cli.StringFlag{Name: "cases", Usage: "print what the plugin `NAME` was asked and answered as cases for chibi " +
				"plugin test", Destination: &f.cases},
			command.Switch(&f.json, "json", "print the turn's lines as JSON, or the sentences"),
		},
		Examples: []string{"chibi trace", "chibi trace --plugin guard --turn -2", "chibi trace explain",
			"chibi trace explain run_command", "chibi trace explain api.temperature", "chibi trace explain system_prompt",
			"chibi trace --html trace.html"},
		Run: func(ctx context.Context, args []string) error {
			if len(args) > 0 && args[0] == "explain" {
				return explain(ctx, env, args[1:], f)
			}
			if len(args) > 1 {
				return command.Usage("trace takes one file; chibi trace --help")
			}
			return show(ctx, env, args, f)
		},
	})
}

// replayFlags are the flags of the command replay.
type replayFlags struct {
	turn int
	dir  string
}

func replayCommand(env *command.Env) *cli.Command {
	var f replayFlags
	return env.Command(command.Spec{
		Name: "replay", Args: "[FILE]",
		About: "fire a traced turn's hooks again at today's plugins, and show which answers differ",
		Flags: []cli.Flag{
			turnFlag(&f.turn),
			&cli.StringFlag{Name: "plugins", Usage: "take chibi's plugins from `FOLDER`", Destination: &f.dir},
		},
		Examples: []string{"chibi replay", "chibi replay trace.jsonl --turn 2 --plugins ./my-plugins"},
		Run:      func(ctx context.Context, args []string) error { return replay(ctx, env, args, f) },
	})
}

// turnFlag is the flag that chooses a turn.
func turnFlag(into *int) cli.Flag {
	return &cli.IntFlag{Name: "turn", Usage: "the `N`th turn of the trace, the Nth last one if it is -N", Value: -1,
		DefaultText: "-1, the newest", Destination: into}
}
