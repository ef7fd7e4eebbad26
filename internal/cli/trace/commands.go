// Package trace has the commands that show what happened in turns, and repeat what
// plugins were asked in them.
package trace

import (
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/urfave/cli/v2"
)

// Commands lists the commands about traces.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{traceCommand(env), replayCommand(env)}
}

// turnFlag is the flag that chooses a turn.
func turnFlag(into *int) cli.Flag {
	return &cli.IntFlag{Name: "turn", Usage: "the `N`th turn of the trace, the Nth last one if it is -N", Value: -1,
		DefaultText: "-1, the newest", Destination: into}
}
