package trace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/trace"
)

// aboutFile is what the help of commands says about FILE.
const aboutFile = "FILE is what --trace has written; without it, or with the word last, it is the newest trace of " +
	"any context, or of the one that -C names."

// file returns the file that the words of a command mean: a path, or the trace that was
// written last.
func file(ctx context.Context, env *command.Env, args []string) (path string, err error) {
	if len(args) > 0 && args[0] != "last" {
		return args[0], nil
	}
	err = env.ReadHome(ctx, func(s *app.Session) error {
		path, err = app.TracesOf(s).Last(ctx)
		return err
	})
	return path, err
}

// read reads the turns of the file that the words of a command mean: at least one.
func read(ctx context.Context, env *command.Env, args []string) (path string, turns []trace.Turn, err error) {
	if path, err = file(ctx, env, args); err != nil {
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
	return path, turns, nil
}

// turnAt returns a turn by its number, which counts from the end if it is negative.
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
