// Package cli is chibi's command line: flags, commands, printing and exit
// codes. It is the only package that touches the process's standard streams.
//
// It promises that only the answer goes to standard output, and that every
// error is one sentence on standard error. It offers no API besides [Main].
package cli

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/chibi-host/chibi/internal/sandbox"
	"github.com/chibi-host/chibi/internal/term/screen"
)

// memoryLimit is how much memory may be used before garbage is collected more often
// than usual.
const memoryLimit = 64 << 20

// Main runs the program with the process's arguments, streams and signals, and
// returns its exit code. sharing is what the program has for stores that machines share.
// Ctrl-C, SIGTERM and SIGHUP end what is running first: plugins,
// then the request, then chibi.
func Main(sharing Sharing) int {
	if len(os.Args) > 1 && os.Args[1] == sandbox.Launch {
		return launch(os.Args[2:])
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 { // GOMEMLIMIT is not set
		debug.SetMemoryLimit(memoryLimit)
	}
	signals := &interrupts{}
	ctx, stop := signals.watch(context.Background())
	defer stop()
	ctx, unwatch := watchParent(ctx)
	defer unwatch()
	// A reader that goes away (chibi ... | head) must not kill the program in
	// the middle of a turn; its writes just fail.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	s := screen.New(os.Stdout, os.Stderr)
	s.EndsWith(ctx.Done())
	defer s.Close()
	p := newProgram(os.Stdin, s, signals.begin, sharing)
	return report(p.env.Out, s.Arrived(p.run(ctx, os.Args[1:])))
}

// exitUnconfined is the exit status of a launcher whose command did not run, as in a shell whose
// command cannot be run.
const exitUnconfined = 126

// launch makes this process the launcher of a confined command, which takes its place.
func launch(args []string) int {
	fmt.Fprintln(os.Stderr, "chibi: the command did not run:", sandbox.Enter(args))
	return exitUnconfined
}
