package process

import (
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

// run runs a command to its end, in a job object, which ends its children with it.
func (e Runner) run(ctx context.Context, c Command) (Outcome, error) {
	p := &process{runner: e, streams: e.streams(c)}
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
	job     job
	streams streams
	exited  chan struct{} // closed when the process itself has ended
	alone   bool          // the payload is on standard input alone
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
	theirs, err := p.streams.open()
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
	p.streams.begin(c.Stdin)
	p.exited = make(chan struct{})
	go func() {
		p.cmd.Wait()
		close(p.exited)
	}()
	return nil
}

// job is a job object.
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
		p.streams.drainedWithin(drainDelay)
		err = p.streams.overflow()
	case <-p.streams.flooded:
		err = p.streams.output.failure()
	case <-bounded.Done():
		if err = ctx.Err(); err == nil {
			err = noAnswer(timeout)
		}
	}
	windows.TerminateJobObject(windows.Handle(p.job), 1)
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
	p.streams.close()
	if p.job != 0 {
		windows.CloseHandle(windows.Handle(p.job))
	}
}

// outcome returns how the process ended.
func (p *process) outcome() Outcome {
	p.release()
	o := Outcome{Stdout: p.streams.output.head, Stderr: p.streams.tail.text(), Exit: -1}
	o.Unread = p.alone && p.streams.written < len(p.streams.input)
	o.Spooled, o.Size = p.streams.output.close()
	select {
	case <-p.exited:
		o.Exit = p.cmd.ProcessState.ExitCode()
	default:
	}
	return o
}
