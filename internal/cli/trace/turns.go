// Package trace has the commands that show what happened in turns, and that fire their
// hooks again.
package trace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/urfave/cli/v2"
)

const aboutFile = "FILE is a file that --trace wrote. Without FILE, or with the word last, chibi takes the newest " +
	"trace of all contexts, or of the context that -C names. With --agent it takes the newest session of another agent " +
	"in which chibi's plugins work, see chibi bridge."

type source struct {
	// args are the words of the command, agent names another agent.
	args  []string
	agent string
}

func agentFlag(into *string) cli.Flag {
	return &cli.StringFlag{Name: "agent", Usage: "the trace of the newest session of the agent `NAME`, such as claude",
		Destination: into}
}

// file returns the file that the words of a command mean: a path, or the trace that was
// written last. It says if the context's newest turn is not in it because it ran elsewhere.
func file(ctx context.Context, env *command.Env, from source) (path string, err error) {
	if len(from.args) > 0 && from.args[0] != "last" {
		return from.args[0], nil
	}
	err = env.With(ctx, app.ToRead, func(s *app.Session) error {
		if from.agent != "" {
			path, err = app.LastBridged(s.Home, from.agent)
			return err
		}
		path, err = lastHere(ctx, env, s)
		return err
	})
	return path, err
}

func lastHere(ctx context.Context, env *command.Env, s *app.Session) (string, error) {
	name, path, err := app.TracesOf(s).Last()
	elsewhere, failure := trace.RanElsewhere(ctx, s.Store, cmp.Or(name, s.Name()))
	switch {
	case failure != nil:
		return path, cmp.Or(err, failure)
	case elsewhere != nil && err != nil:
		return "", fmt.Errorf("%w: %v", err, elsewhere)
	case elsewhere != nil:
		env.Out.Notef("%v", elsewhere)
	}
	return path, err
}

// read reads the turns of the file that the words of a command mean: at least one.
func read(ctx context.Context, env *command.Env, from source) (path string, turns []trace.Turn, err error) {
	if path, err = file(ctx, env, from); err != nil {
		return "", nil, err
	}
	turns, bad, err := trace.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, fmt.Errorf("there is no trace %s; if it is a prompt, put -- before it", path)
	case err != nil:
		return "", nil, err
	case bad > 0:
		env.Out.Notef("%s: %d lines are not trace lines and were skipped", path, bad)
	}
	if len(turns) == 0 {
		return "", nil, fmt.Errorf("%s contains no turns", path)
	}
	for i := range turns {
		turns[i].Bridged = from.agent != ""
	}
	return path, turns, nil
}

func turnAt(turns []trace.Turn, n int) (trace.Turn, error) {
	i := n - 1
	if n < 0 {
		i = len(turns) + n
	}
	if i < 0 || i >= len(turns) {
		return trace.Turn{}, command.Usage("--turn %d: the trace has %d turns", n, len(turns))
	}
	return turns[i], nil
}

// Commands lists the commands about traces.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{traceCommand(env), replayCommand(env)}
}

func turnFlag(into *int) cli.Flag {
	return &cli.IntFlag{Name: "turn", Usage: "the `N`th turn of the trace; -N counts from the end", Value: -1,
		DefaultText: "-1, the newest", Destination: into}
}
