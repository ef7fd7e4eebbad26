// Package trace has the commands that show what happened in turns, and that fire their
// hooks again.
package trace

import (
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/urfave/cli/v2"
)

// Commands lists the commands about traces.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{traceCommand(env), replayCommand(env)}
}

func turnFlag(into *int) cli.Flag {
	return &cli.IntFlag{Name: "turn", Usage: "the `N`th turn of the trace; -N counts from the end", Value: -1,
		DefaultText: "-1, the newest", Destination: into}
}
