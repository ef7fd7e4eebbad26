package cli

import (
	"context"
	"errors"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/plugin"
)

// The exit codes, as --help lists them.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitRefused     = 3
	exitInterrupted = 130
)

// exitCodesHelp is the part of --help about exit codes.
const exitCodesHelp = `   0    success
   1    failure: the model's server, a tool called with -p or -P, the disk, a context in use
   2    invalid flags, arguments or configuration
   3    a plugin refused the prompt, the compaction or the run, or ended the turn, or a required guard is missing
   130  interrupted`

// report prints the error of a run, if there is one, and returns the run's exit code.
func report(out *command.Printer, err error) int {
	code := exitCode(err)
	switch code {
	case exitOK:
	case exitInterrupted:
		out.Errorf("interrupted")
	default:
		out.Errorf("%v", err)
	}
	return code
}

// exitCode maps an error to an exit code.
func exitCode(err error) int {
	var wrong app.UsageError
	var refused *agent.RefusedError
	var halted *agent.HaltedError
	var stopped *plugin.StartError
	var unguarded *app.GuardsError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &refused), errors.As(err, &halted), errors.As(err, &stopped), errors.As(err, &unguarded):
		return exitRefused
	case errors.As(err, &wrong):
		return exitUsage
	}
	return exitFailed
}
