package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
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

// run runs a command to its end, in a job object, which ends its children with it.
func (e Runner) run(ctx context.Context, c Command) (Outcome, error) {
	p := &process{runner: e, output: output{max: c.limit(), make: c.Spool, admit: c.Admit}, flooded: make(chan struct{})}
	p.alone = c.Data != nil && !c.Data.fits()
	if p.alone && c.InheritStdin {
		return Outcome{Unread: true}, fmt.Errorf("%w: %w", ErrStart, errNoWay)
	}
	if err := p.start(c); err != nil {
		p.release()
		return Outcome{}, err
	}
	err := p.wait(ctx, c.Timeout)
	return p.outcome(), err
}

// process is a running command.
type process struct {
	runner  Runner
	cmd     *exec.Cmd
	job     windows.Handle
	stdin   *os.File
	stdout  *os.File
	stderr  *os.File
	copies  sync.WaitGroup
	drained chan struct{} // closed when stdout and stderr have ended
	exited  chan struct{} // closed when the process itself has ended
	flooded chan struct{} // closed when it wrote too much
	alone   bool          // the payload is on standard input alone
	unread  bool          // the payload was not read completely
	output  output
	tail    tail
}

// start starts the process, its readers and its writer.
func (p *process) start(c Command) error {
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
		SysProcAttr: &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}}
	theirs, err := p.connect(c)
	if err == nil {
		err = p.cmd.Start()
	}
	for _, f := range theirs {
		if f != nil {
			f.Close()
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %v", ErrStart, err)
	}
	if err := p.join(); err != nil {
		p.cmd.Process.Kill()
		return fmt.Errorf("%w: %v", ErrStart, err)
	}
	p.begin(c)
	return nil
}

// connect makes the pipes and returns the process's ends of them.
func (p *process) connect(c Command) (theirs [3]*os.File, err error) {
	var wrong [3]error
	theirs[0], p.stdin, wrong[0] = os.Pipe()
	p.stdout, theirs[1], wrong[1] = os.Pipe()
	p.stderr, theirs[2], wrong[2] = os.Pipe()
	if err := errors.Join(wrong[:]...); err != nil {
		return theirs, err
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	if c.InheritStdin {
		p.cmd.Stdin = nil
		if p.runner.Terminal != nil {
			p.cmd.Stdin = p.runner.Terminal
		}
	}
	return theirs, nil
}

// newJob creates a job object that ends its processes when it is closed, so that no
// process outlives the host.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return job, err
}

// join puts the process into its job.
func (p *process) join() error {
	handle, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false,
		uint32(p.cmd.Process.Pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(handle)
	return windows.AssignProcessToJobObject(p.job, handle)
}

// begin starts the goroutines that read and write the pipes and wait for the end.
func (p *process) begin(c Command) {
	p.drained, p.exited = make(chan struct{}), make(chan struct{})
	var readers sync.WaitGroup
	readers.Go(p.readOutput)
	readers.Go(p.readErrors)
	p.copies.Go(func() {
		n, err := p.stdin.Write(c.Stdin)
		p.unread = p.alone && (err != nil || n < len(c.Stdin))
		p.stdin.Close()
	})
	p.copies.Go(func() {
		readers.Wait()
		close(p.drained)
	})
	go func() {
		p.cmd.Wait()
		close(p.exited)
	}()
}

// wait waits for the process to end, or ends it with its children.
func (p *process) wait(ctx context.Context, timeout time.Duration) error {
	bounded := ctx
	if timeout > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	var err error
	select {
	case <-p.exited:
		select {
		case <-p.drained:
		case <-time.After(drainDelay):
		}
		select {
		case <-p.flooded:
			err = p.output.failure()
		default:
		}
	case <-p.flooded:
		err = p.output.failure()
	case <-bounded.Done():
		if err = ctx.Err(); err == nil {
			err = noAnswer(timeout)
		}
	}
	windows.TerminateJobObject(p.job, 1)
	await(p.exited, p.runner.grace())
	return err
}

// await waits for ended, at most for the given time.
func await(ended <-chan struct{}, most time.Duration) {
	select {
	case <-ended:
	case <-time.After(most):
	}
}

// release closes the pipes, which ends the goroutines at them, and the job.
func (p *process) release() {
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		if f != nil {
			f.Close()
		}
	}
	p.copies.Wait()
	if p.job != 0 {
		windows.CloseHandle(p.job)
	}
}

// outcome returns how the process ended.
func (p *process) outcome() Outcome {
	p.release()
	o := Outcome{Stdout: p.output.head, Stderr: p.tail.text(), Exit: -1, Unread: p.unread}
	o.Spooled, o.Size = p.output.close()
	select {
	case <-p.exited:
		o.Exit = p.cmd.ProcessState.ExitCode()
	default:
	}
	return o
}
