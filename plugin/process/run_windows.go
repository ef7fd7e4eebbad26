package process

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// maxEnvString bounds one variable of the environment: name, "=", value and the
// zero.
const maxEnvString = 32_767

// Lender does nothing on Windows, where processes in the background can read from the
// terminal.
type Lender struct{}

// NewLender returns a Lender.
func NewLender(time.Duration, func() (back func())) *Lender { return &Lender{} }

// Borrowed is the terminal while the host itself asks the person there.
type Borrowed struct{ File *os.File }

// Company says who else uses the terminal beside the host.
type Company int

const (
	// Alone means that nobody does.
	Alone Company = iota
	// WithReader means that the program that reads the host's output may use it, as a pager does.
	WithReader
)

// HasTerminal reports false.
func (l *Lender) HasTerminal() bool { return false }

// Borrow returns [ErrNoTerminal].
func (l *Lender) Borrow(context.Context, Company) (*Borrowed, error) { return nil, ErrNoTerminal }

// Flush does nothing.
func (b *Borrowed) Flush() {}

// Return does nothing.
func (b *Borrowed) Return() {}

// start starts a command's process in a job object, which ends its children with it. Its
// standard output goes to out.
func (e Runner) start(_ context.Context, c Command, out sink) (*child, error) {
	p := &child{runner: e, streams: e.streams(c, out)}
	p.alone = c.Data != nil && !c.Data.fits()
	if p.alone && c.InheritStdin {
		return nil, fmt.Errorf("%w: %w", ErrStart, errNoWay)
	}
	if err := p.launch(c); err != nil {
		p.release()
		return nil, err
	}
	return p, nil
}

// child is a running command.
type child struct {
	runner  Runner
	cmd     *exec.Cmd
	job     job
	streams streams
	exited  <-chan struct{} // closed when the process itself has ended
	alone   bool            // the payload is on standard input alone
}

// launch starts the process and its readers.
func (p *child) launch(c Command) error {
	if c.Check != nil {
		if err := c.Check(); err != nil {
			return err
		}
	}
	var err error
	if p.job, err = newJob(); err != nil {
		return fmt.Errorf("%w: %v", ErrStart, err)
	}
	p.cmd = &exec.Cmd{Path: c.Path, Args: append([]string{c.Path}, c.Args...), Dir: c.Dir,
		Env:         p.runner.environment(c, p.alone),
		SysProcAttr: &syscall.SysProcAttr{CreationFlags: creation(c)}}
	theirs, err := p.streams.open()
	p.streams.input = c.Stdin
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	if c.InheritStdin {
		p.cmd.Stdin = nil
		if p.runner.Terminal != nil {
			p.cmd.Stdin = p.runner.Terminal
		}
	}
	if err == nil {
		err = p.cmd.Start()
	}
	closeAll(theirs[:]...)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrStart, err)
	}
	if err := p.job.add(p.cmd.Process); err != nil {
		p.cmd.Process.Kill()
		return fmt.Errorf("%w: %v", ErrStart, err)
	}
	p.streams.begin()
	exited := make(chan struct{})
	p.exited = exited
	go func() {
		p.cmd.Wait()
		close(exited)
	}()
	return nil
}

// creation returns how a process is created.
func creation(c Command) (flags uint32) {
	if c.NoTerminal {
		return windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW
	}
	return windows.CREATE_NEW_PROCESS_GROUP
}

// open makes the pipes and returns the process's ends of them.
func (s *streams) open() (theirs [3]*os.File, err error) {
	if theirs[0], s.stdin, err = os.Pipe(); err != nil {
		return theirs, err
	}
	if s.stdout, theirs[1], err = os.Pipe(); err != nil {
		return theirs, err
	}
	s.stderr, theirs[2], err = os.Pipe()
	return theirs, err
}

// finish waits for the process to end, or ends it.
func finish(ctx context.Context, p *child, c Command) error {
	p.streams.feed()
	return p.wait(ctx, c.Timeout)
}

// attend has nothing to do: goroutines read since the start.
func attend(*child) {}

type job windows.Handle

// newJob creates a job object that ends its processes when it is closed, so that no
// process outlives the host.
func newJob() (job, error) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return job(handle), err
}

// add puts a process into the job.
func (j job) add(p *os.Process) error {
	handle, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(p.Pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(handle)
	return windows.AssignProcessToJobObject(windows.Handle(j), handle)
}

// wait waits for the process to end, or ends it with its children.
func (p *child) wait(ctx context.Context, timeout time.Duration) error {
	bounded := ctx
	if timeout > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	var err error
	select {
	case <-p.exited:
	case <-p.streams.flooded:
	case <-bounded.Done():
		switch err = ctx.Err(); {
		case isClosed(p.exited) && err != context.Canceled:
			err = nil // what it answered counts, however late the host looks
		case err == nil:
			err = noAnswer(timeout)
		}
	}
	p.streams.out.hurry()
	if err == nil && isClosed(p.exited) {
		p.streams.drainedWithin(drainDelay) // children may end by themselves
	}
	windows.TerminateJobObject(windows.Handle(p.job), 1)
	await(p.exited, killDelay)
	p.streams.settle()
	return cmp.Or(p.streams.overflow(), err)
}

// await waits for ended, at most for the given time.
func await(ended <-chan struct{}, most time.Duration) {
	select {
	case <-ended:
	case <-time.After(most):
	}
}

// release closes the pipes, which ends the goroutines at them, and the job.
func (p *child) release() {
	p.streams.close()
	if p.job != 0 {
		windows.CloseHandle(windows.Handle(p.job))
		p.job = 0
	}
}

// outcome returns how the process ended.
func (p *child) outcome() Outcome {
	p.release()
	o := Outcome{Stderr: p.streams.tail.text(), Exit: -1}
	o.Unread = p.alone && p.streams.written < len(p.streams.input)
	o.Stdout, o.Spooled, o.Size = p.streams.out.kept()
	select {
	case <-p.exited:
		o.Exit = p.cmd.ProcessState.ExitCode()
	default:
	}
	return o
}

// misread: there is no env that looks for an interpreter.
func misread(string) error { return nil }

func id(p *child) int { return p.cmd.Process.Pid }
