// Package process runs processes and cleans up after them. It knows no protocol: the
// caller decides what a process gets and what its output means. [Runner.Run] runs a
// process for one answer; [Runner.Start] starts one that stays, a [Process], whose
// standard input and output are streams of lines. Both are supervised in the same way.
//
// Each process runs in its own process group and is bounded in time and output. However
// it ends (by itself, by a bound, by its context), when Run returns or [Process.Done] is
// closed the whole group has ended, except processes that left the group, and the pipes
// are closed. Neither waits for a child that keeps a pipe open after its parent has exited.
// A process that stops itself is reported, and one that Run started and that asks the
// person at /dev/tty can get the terminal from a [Lender].
//
// On Linux one thread polls a process and its pipes for the first moment, where os/exec has
// goroutines: without that, a hook takes 1.09 times as long, fifty in a chain take 1.36 and
// fifty at once 1.15 times as long.
//
// The package writes only to the writer that it is given, and keeps no state. A program
// that uses it must not ignore SIGCHLD: otherwise the kernel discards exit statuses, and
// every process counts as failed.
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
	// Path is the executable, Args its arguments without its name.
	Path string
	Args []string
	// Env holds KEY=VALUE pairs that are added to Runner.Env; the last one of a key wins.
	Env []string
	// Dir is the working directory; "": the host's directory.
	Dir string
	// Stdin is written to standard input, which is then closed. The process need not
	// read it. For Run only, as Data and InheritStdin.
	Stdin []byte
	// Data is the payload as an environment variable; nil: none.
	Data *Data
	// InheritStdin gives the process Runner.Terminal as standard input instead
	// of Stdin.
	InheritStdin bool
	// NoTerminal starts the process in a session of its own, without a controlling
	// terminal: it and its children cannot open /dev/tty, so they neither read a person's
	// typing nor ask there; Runner.Terminal and Runner.Lender have no effect. On Linux, the
	// rest of the session is ended with the group, children in groups of their own too. On
	// Windows, the process has a console of its own that nobody sees.
	NoTerminal bool
	// Whole ends the processes that are left of its group, and with NoTerminal of its session, however
	// the process ends: also children that have closed their outputs. For Start only; on Windows
	// it has no effect.
	Whole bool
	// Leave lets children in the background be that still hold its outputs when the process has
	// ended; their output is then lost. [EndLeft] ends them. On Windows it has no effect.
	Leave bool
	// Files are inherited as the descriptors 3, 4 and so on; they are closed once the process has
	// been started, or could not be. On Windows they have no effect.
	Files []*os.File
	// Check, if set, is called right before the process starts; its error prevents the
	// start and is the error of the run.
	Check func() error
	// Timeout bounds the process; 0: no bound.
	Timeout time.Duration
	// MaxOutput bounds standard output in bytes, or each line of it for Start; 0: 8 MiB.
	MaxOutput int64
	// Spool creates a file for standard output larger than 1 MiB, to which all of it is
	// then written as it arrives; for Start, for each line larger than that. Nil: all output
	// is kept in memory.
	Spool func() (Spool, error)
	// Output, if set, receives the standard output of a process that stays, instead of the
	// queue of lines; MaxOutput, Spool and Admit then have no effect. For Start only.
	Output Output
	// Admit, if set, is called with the size in bytes of each piece of standard output;
	// its error ends the process and is the error of the run. Newlines do not count for
	// Start.
	Admit func(bytes int) error
}

// Spool is a file for output, such as an *os.File. It is written to by one goroutine, and
// closed when the process has ended.
type Spool interface {
	io.WriteCloser
	// Name is the path of the file.
	Name() string
}

// Output receives the standard output of a process as it arrives.
type Output interface {
	// Write may wait, and the process with it. Its error ends the process.
	io.Writer
	// Hurry is called when the process has ended or must end: Write must not wait any longer.
	// It may be called more than once, also during a Write.
	Hurry()
	// Finish is called when nothing more comes.
	Finish()
}

// Data is a payload for the environment. If it is too large, it is passed on standard
// input only, and the variable is not set.
type Data struct {
	// Var names the variable.
	Var string
	// Value is the payload.
	Value []byte
}

// Outcome is how a process ended.
type Outcome struct {
	// Stdout is its standard output; if Spooled is set, the first 1 MiB.
	Stdout []byte
	// Spooled is a file with all that it wrote to standard output, closed; nil if that
	// is in Stdout. The caller removes it. Size is its size in bytes.
	Spooled Spool
	Size    int64
	// Stderr is the end of its standard error: at most 4 KiB of valid UTF-8.
	Stderr string
	// Exit is the exit status; -1 after a death by signal, or if it is unknown.
	Exit int
	// Signal names the signal that ended it, "" if none did.
	Signal string
	// Unread is true if Command.Data was too large for the environment and the
	// process read no byte of standard input: it cannot know its payload.
	Unread bool
	// Left is the id of the session in which the process has left something, see Command.Leave; 0:
	// it has left nothing.
	Left int
	// Asked is true if the process asked the person at the terminal, or tried to.
	Asked bool
}

// Ok reports whether the process exited with status 0.
func (o Outcome) Ok() bool { return o.Exit == 0 && o.Signal == "" }

// Runner runs commands and cleans up after them. Each command has its own process
// group, which is ended when the run is cancelled, takes too long or writes too much:
// first with SIGTERM, after Grace with SIGKILL. A child that a process leaves in the
// background is ended with it if it still holds standard output or standard error; a
// child that has closed both is a daemon and is not touched, unless the command is Whole; with
// Leave neither is touched.
//
// The zero value is ready for use and safe for concurrent use.
type Runner struct {
	// Env is the environment that commands start from; nil: the environment of the host.
	Env []string
	// Drop lists prefixes of names of variables that are removed from Env.
	Drop []string
	// Stderr receives what processes write to standard error, as it arrives. It
	// must be safe for concurrent use. Nil: only the tail is kept.
	Stderr io.Writer
	// MaxStderr bounds how many bytes one process may write to Stderr; 0: 8 MiB. The
	// rest is discarded, and a line in Stderr says so.
	MaxStderr int64
	// Terminal is the standard input for InheritStdin; nil: the null device. If it is
	// the terminal in whose foreground the host is, the process is in the foreground
	// while it runs.
	Terminal *os.File
	// Lender lends the terminal to processes that ask the person at /dev/tty; processes
	// with Terminal as standard input wait for their turn too. Nil: a process that asks
	// there is ended.
	Lender *Lender
	// NoTerminal starts every command as Command.NoTerminal does.
	NoTerminal bool
	// Grace is the time between SIGTERM and SIGKILL; 0: 2 seconds.
	Grace time.Duration
}

// The errors that callers can distinguish.
var (
	// ErrTimeout means that the process took too long and was ended.
	ErrTimeout = errors.New("no answer")
	// ErrOutputLimit means that it wrote too much and was ended; the output up to the
	// limit is kept.
	ErrOutputLimit = errors.New("ended")
	// ErrSpool means that its output could not be written to disk.
	ErrSpool = errors.New("its output could not be kept on disk")
	// ErrStart means that it could not be started.
	ErrStart = errors.New("could not be started")
	// ErrNoTerminal means that it asked at the terminal, which could not be lent to it.
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
	// spoolAfter is how many bytes of spooled output are kept in memory.
	spoolAfter   = 1 << 20
	defaultGrace = 2 * time.Second
	stderrTail   = 4 << 10
	// drainDelay is how long a pipe may stay open after its process has ended.
	drainDelay = 250 * time.Millisecond
	// killDelay is how long a killed process may take to end. It ends when it gets its turn, unless
	// the kernel is stuck in one of its calls.
	killDelay = 10 * time.Second
)

// Run runs a command to its end. A non-zero exit status and death by a signal are not
// errors; they are in the Outcome. Errors are ErrStart, ErrTimeout, ErrOutputLimit,
// ErrSpool, ErrNoTerminal and the error of ctx; the Outcome then holds the output so far.
func (e Runner) Run(ctx context.Context, c Command) (Outcome, error) {
	if ctx.Err() != nil {
		closeAll(c.Files...)
		return Outcome{}, ctx.Err()
	}
	e, c = e.withoutTerminal(c)
	run, err := e.start(ctx, c, &output{max: c.limit(), make: c.Spool, admit: c.Admit})
	if err != nil {
		return Outcome{Unread: errors.Is(err, errNoWay)}, err
	}
	defer run.release()
	err = finish(ctx, run, c)
	out := run.outcome()
	if out.Exit == exitNotFound && err == nil {
		err = misread(c.Path)
	}
	return out, err
}

// exitNotFound is the exit status of env, as of a shell, for a program that is not there.
const exitNotFound = 127

// withoutTerminal keeps the terminal from a command that is not to have it.
func (e Runner) withoutTerminal(c Command) (Runner, Command) {
	if c.NoTerminal = c.NoTerminal || e.NoTerminal; c.NoTerminal {
		e.Terminal, e.Lender = nil, nil
	}
	return e, c
}

// errNoWay means that there is no way to pass the payload to the process.
var errNoWay = errors.New("too large for the environment, and its standard input is the terminal")

// limit is the bound on standard output.
func (c Command) limit() int64 { return cmp.Or(max(0, c.MaxOutput), defaultMaxOutput) }

// grace is how long a process may take to end after SIGTERM.
func (e Runner) grace() time.Duration {
	if e.Grace > 0 {
		return e.Grace
	}
	return defaultGrace
}

// streams are the streams of a command whose standard output goes to out.
func (e Runner) streams(c Command, out sink) streams {
	most := cmp.Or(e.MaxStderr, DefaultMaxStderr)
	return streams{
		out:     out,
		drained: make(chan struct{}), flooded: make(chan struct{}),
		forward: forward{to: e.Stderr, from: c.Path, most: most, room: most},
	}
}

// noAnswer is the error of a run that took too long.
func noAnswer(after time.Duration) error {
	return fmt.Errorf("%w after %s", ErrTimeout, after)
}
