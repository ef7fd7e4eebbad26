// Package process runs processes and leaves nothing behind. It knows no protocol:
// who calls it says what a process is given and what its output means.
//
// Each process has a group of its own and is bounded in time and output. Whatever
// ends a run (its end, a bound, the end of its context), the whole group has ended
// when [Runner.Run] returns, what has left the group excepted, and the pipes are
// closed. A child that keeps a pipe open after its parent has exited is not waited
// for. A process that stops itself is noticed, and one that asks the person at
// /dev/tty can be lent the terminal by a [Lender].
//
// The package prints nothing but to the writer that it is given, and keeps no
// state.
package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Command is one process to run.
type Command struct {
	// Path is the executable, Args what follows its name.
	Path string
	Args []string
	// Env holds KEY=VALUE pairs that are added to Runner.Env; a later one wins.
	Env []string
	// Dir is the working directory; "" is the host's own.
	Dir string
	// Stdin is written to standard input, which is then closed. A process
	// that does not read it does no harm.
	Stdin []byte
	// Data is the payload as an environment variable too; nil: none.
	Data *Data
	// InheritStdin gives the process Runner.Terminal as standard input instead
	// of Stdin.
	InheritStdin bool
	// Check is called right before the process starts; its error is that of the
	// run. Nil: nothing is to be checked.
	Check func() error
	// Timeout bounds the process; 0: no bound.
	Timeout time.Duration
	// MaxOutput bounds standard output in bytes; 0: 8 MiB.
	MaxOutput int64
	// Spool makes a file for standard output that is too large for memory: over
	// 1 MiB, all of it goes there as it comes. Nil: it is kept in memory.
	Spool func() (*os.File, error)
	// Admit is asked about each piece of standard output, by its size in bytes; its
	// error ends the process and is that of the run. Nil: all is admitted.
	Admit func(bytes int) error
}

// Data is a payload for the environment. If it is too large for that, only
// standard input carries it, and the variable is not set.
type Data struct {
	// Var names the variable.
	Var string
	// Value is the payload.
	Value []byte
}

// Outcome is how a process ended.
type Outcome struct {
	// Stdout is what it wrote to standard output; if Spooled is set, the first
	// MiB of it.
	Stdout []byte
	// Spooled is the path of a file with all that it wrote to standard output,
	// "" if that is in Stdout. The caller removes it. Size is its size in bytes.
	Spooled string
	Size    int64
	// Stderr is the end of what it wrote to standard error: at most 4 KiB of
	// valid UTF-8.
	Stderr string
	// Exit is the exit status, -1 after a death by signal.
	Exit int
	// Signal names the signal that ended it, "" if none did.
	Signal string
	// Unread is true if Command.Data was too large for the environment and the
	// process took not one byte of standard input: it cannot know its payload.
	Unread bool
	// Asked is true if the process asked the person at the terminal, or wanted
	// to and could not.
	Asked bool
}

// Ok reports whether the process ended well.
func (o Outcome) Ok() bool { return o.Exit == 0 && o.Signal == "" }

// Runner runs commands and leaves nothing behind: each has a process group of its
// own, and all of that ends when the run is called off, takes too long or
// writes too much: first with SIGTERM, after Grace with SIGKILL. A child that a
// process leaves in the background ends with it if it still holds standard
// output or standard error; one that let go of both is its author's decision
// and is left alone.
//
// The zero value is ready for use and safe for concurrent use.
type Runner struct {
	// Env is the environment that commands start from; nil: the host's own.
	Env []string
	// Drop lists what the names of variables begin with that are left out of it.
	Drop []string
	// Stderr receives what processes write to standard error, as it comes. It
	// must be safe for concurrent use. Nil: only the tail is kept.
	Stderr io.Writer
	// MaxStderr bounds in bytes what one process may write there; 0: 8 MiB. What
	// is more is left out, which is said there.
	MaxStderr int64
	// Terminal is what InheritStdin gives; nil: the null device. If it is the
	// terminal that the host itself has in the foreground, the process has it
	// while it runs.
	Terminal *os.File
	// Lender lends the terminal to processes that ask the person at /dev/tty.
	// Nil: a process that does so is ended. Those that have Terminal take turns
	// with them.
	Lender *Lender
	// Grace is the time between SIGTERM and SIGKILL; 0: 2 seconds.
	Grace time.Duration
}

// The failures of a run that callers may want to tell apart.
var (
	// ErrTimeout says that the process took too long and was ended.
	ErrTimeout = errors.New("no answer")
	// ErrOutputLimit says that it wrote too much and was ended; what fits the
	// limit is kept.
	ErrOutputLimit = errors.New("ended")
	// ErrSpool says that its output could not be written to disk.
	ErrSpool = errors.New("its output could not be kept on disk")
	// ErrStart says that it could not be started.
	ErrStart = errors.New("could not be started")
	// ErrNoTerminal says that it asked at the terminal and could not have it.
	ErrNoTerminal = errors.New("it asks at the terminal, which cannot be lent to it")
)

// The defaults of a [Runner] and its [Lender].
const (
	// DefaultMaxStderr is how many bytes a process may write to standard error.
	DefaultMaxStderr = 8 << 20
	// DefaultPatience is how long a process may have the terminal.
	DefaultPatience = 10 * time.Minute
)

const (
	defaultMaxOutput = 8 << 20
	// spoolAfter is how much of standard output is kept in memory if it can be
	// spooled.
	spoolAfter   = 1 << 20
	defaultGrace = 2 * time.Second
	stderrTail   = 4 << 10
	// drainDelay is how long a pipe may stay open after its process has ended.
	drainDelay = 250 * time.Millisecond
)

// Run runs a command to its end. A non-zero exit status and a death by signal
// are no errors, they are in the Outcome. Errors are ErrStart, ErrTimeout,
// ErrOutputLimit, ErrSpool, ErrNoTerminal and the end of ctx; the Outcome then
// holds what had arrived.
func (e Runner) Run(ctx context.Context, c Command) (Outcome, error) {
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	return e.run(ctx, c)
}

// errNoWay says that nothing could carry a payload to the process.
var errNoWay = errors.New("too large for the environment, and its standard input is the terminal")

// limit is a command's bound on standard output.
func (c Command) limit() int64 { return cmp.Or(max(0, c.MaxOutput), defaultMaxOutput) }

// grace is how long a process may take to end itself.
func (e Runner) grace() time.Duration {
	if e.Grace > 0 {
		return e.Grace
	}
	return defaultGrace
}

// noAnswer is the error of a run that took too long.
func noAnswer(after time.Duration) error {
	return fmt.Errorf("%w after %s", ErrTimeout, after)
}
