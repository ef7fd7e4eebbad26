package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/guards"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/store"
)

// The exit codes, as --help lists them.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitRefused     = 3
	exitHeld        = 4
	exitUnavailable = 5
	exitUnanswered  = 6
	exitCutOff      = 7
	exitFiltered    = 8
	exitAllRefused  = 9
	exitInterrupted = 130
)

const exitCodesHelp = `   0    success
   1    failure: the model's server, a tool called with -p or -P, the disk
   2    invalid flags, arguments or configuration
   3    a plugin refused the prompt, the compaction or the run, or ended the turn, or a required guard is missing
   4    a context is in use by another process, or was taken over by one
   5    the store that machines share did not answer in time; chibi keeps the entries, and names their file
   6    the model answered nothing: no text, and no call of a tool
   7    the answer reached its length limit; chibi prints and stores the part that came
   8    the server's content filter stopped the answer; chibi prints and stores the part that came
   9    with --strict: chibi refused each call of the model
   130  interrupted`

func report(out *output.Printer, err error) int {
	code := exitCode(err)
	switch code {
	case exitOK:
	case exitInterrupted:
		out.Errorf("interrupted")
	default:
		out.Errorf("%s", ending(err))
	}
	return code
}

// ending returns the message for the error of a run. An earlier message said why something could
// not be stored.
func ending(err error) string {
	if unsent, ok := errors.AsType[*contexts.UnsentError](err); ok {
		return fmt.Sprintf("the latest entries of context %q are not stored yet; chibi keeps them in "+
			"%s", unsent.Context, unsent.Path)
	}
	return err.Error()
}

func exitCode(err error) int {
	var wrong app.UsageError
	var refused *agent.RefusedError
	var halted *agent.HaltedError
	var stopped *plugin.StartError
	var unguarded *guards.MissingError
	var held *contexts.LockedError
	var taken *contexts.TakenError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &held), errors.As(err, &taken):
		return exitHeld
	case errors.Is(err, contexts.ErrLost):
		return exitUnavailable
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &refused), errors.As(err, &halted), errors.As(err, &stopped), errors.As(err, &unguarded):
		return exitRefused
	case errors.As(err, &wrong):
		return exitUsage
	case agent.OutcomeOf(err) != "":
		return outcomeCode(agent.OutcomeOf(err))
	case errors.Is(err, store.ErrUnavailable):
		return exitUnavailable
	}
	return exitFailed
}

// outcomeCode returns the exit code of an answer that lacks something.
func outcomeCode(o agent.Outcome) int {
	switch o {
	case agent.Unanswered:
		return exitUnanswered
	case agent.CutOff:
		return exitCutOff
	case agent.Filtered:
		return exitFiltered
	case agent.AllRefused:
		return exitAllRefused
	}
	return exitFailed
}
