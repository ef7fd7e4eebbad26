//go:build unix

package process

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// process is a running command.
type process struct {
	runner  Runner
	cmd     *exec.Cmd
	pid     int
	stdout  *os.File
	stderr  *os.File
	stdin   *os.File
	copies  sync.WaitGroup // the goroutines at the pipes
	drained chan struct{}  // closed when stdout and stderr have ended
	exited  chan struct{}  // closed when the process itself has ended
	flooded chan struct{}  // closed when it wrote too much
	// alone says that the payload is on standard input only; untaken is then the read
	// end of that pipe, and written the number of bytes that the host wrote into it.
	alone   bool
	untaken *os.File
	written int
	fed     chan struct{} // closed when no more will be written
	output  output
	tail    tail
	stops   chan syscall.Signal // the signal that stopped it
	status  syscall.WaitStatus  // how it ended, once exited is closed
	loan    *loan               // the terminal, while the process has it
	asked   bool                // see Outcome.Asked
}

// begin starts the goroutines that read and write the pipes and wait for the end.
func (p *process) begin(cmd *exec.Cmd, input []byte) {
	p.cmd, p.pid = cmd, cmd.Process.Pid
	p.drained, p.exited, p.flooded = make(chan struct{}), make(chan struct{}), make(chan struct{})
	p.fed, p.stops = make(chan struct{}), make(chan syscall.Signal, 1)
	var readers sync.WaitGroup
	readers.Go(p.readOutput)
	readers.Go(p.readErrors)
	p.copies.Go(func() {
		p.written, _ = p.stdin.Write(input) // the process need not read it
		p.stdin.Close()
		close(p.fed)
	})
	p.copies.Go(func() {
		readers.Wait()
		close(p.drained)
	})
	go p.watch()
}

// watch waits for the process to stop, which os/exec does not report, and to end. It is
// not one of copies, so that nothing waits for a process that SIGKILL does not end.
func (p *process) watch() {
	for {
		var status syscall.WaitStatus
		switch _, err := syscall.Wait4(p.pid, &status, syscall.WUNTRACED, nil); {
		case err == syscall.EINTR:
		case err == nil && status.Stopped():
			select {
			case p.stops <- status.StopSignal():
			default: // one stop is already pending
			}
		default:
			p.status = status
			close(p.exited)
			return
		}
	}
}

// wait waits for the process to end, or ends it. The timeout does not run while the
// process waits for the terminal or is suspended by the person; it is restarted once,
// when the process gets the terminal.
func (p *process) wait(ctx context.Context, timeout time.Duration) error {
	defer p.giveBack()
	timer, end := time.NewTimer(timeout), time.Now().Add(timeout)
	defer timer.Stop()
	expired := timer.C
	if timeout <= 0 {
		expired = nil
	}
	for {
		select {
		case <-p.exited:
			p.giveBack()
			p.drain()
			return p.exitError()
		case <-ctx.Done():
			p.end()
			return ctx.Err()
		case <-expired:
			p.end()
			return noAnswer(timeout)
		case <-p.flooded:
			p.end()
			return p.output.failure()
		case why := <-p.stops:
			left, had := time.Until(end), p.loan != nil
			if err := p.resume(ctx, why); err != nil {
				p.end()
				return err
			}
			if p.loan == nil || timeout <= 0 {
				continue
			}
			if !had {
				timeout = max(timeout, p.loan.patience())
				left = timeout
			}
			end = time.Now().Add(left)
			timer.Reset(left)
		}
	}
}

// exitError returns the error of a process that ended by itself: it may have exited
// before the reader noticed that it wrote too much.
func (p *process) exitError() error {
	select {
	case <-p.flooded:
		return p.output.failure()
	default:
		return p.interrupted()
	}
}

// drain reads what is left in the pipes of a process that has ended. A child in the
// background that still holds them is ended.
func (p *process) drain() {
	if !p.drainedWithin(drainDelay) {
		p.signal(syscall.SIGKILL)
		p.drainedWithin(drainDelay)
	}
}

// end ends the whole group: first with SIGTERM, then with SIGKILL. The grace period also
// applies to children that hold the pipes: a shell ends at once, but the program that it
// ran may have to clean up. Processes that left the group are not waited for.
func (p *process) end() {
	p.signal(syscall.SIGTERM)
	p.signal(syscall.SIGCONT)
	grace, cancel := context.WithTimeout(context.Background(), p.runner.grace())
	defer cancel()
	await(grace, p.exited)
	for grace.Err() == nil && !p.drainedWithin(10*time.Millisecond) && syscall.Kill(-p.pid, 0) == nil {
	}
	p.signal(syscall.SIGKILL)
	killed, cancel := context.WithTimeout(context.Background(), p.runner.grace())
	defer cancel()
	await(killed, p.exited)
	p.drainedWithin(drainDelay)
}

// await waits for ended, or until ctx ends.
func await(ctx context.Context, ended <-chan struct{}) {
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

func (p *process) drainedWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.drained:
		return true
	case <-timer.C:
		return false
	}
}

// signal signals the group, and the process itself if it has left the group. The
// group's id is not reused while it has a member; without a member, nothing is signalled.
func (p *process) signal(s syscall.Signal) {
	syscall.Kill(-p.pid, s)
	if !p.hasExited() && p.group() != p.pid {
		p.cmd.Process.Signal(s)
	}
}

// group returns the process's group: its own, unless the process has changed it.
func (p *process) group() int {
	if group, err := unix.Getpgid(p.pid); err == nil {
		return group
	}
	return p.pid
}

// hasExited reports whether the process has ended.
func (p *process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// release closes the pipes, which ends their goroutines, and takes back the terminal.
func (p *process) release() {
	p.giveBack()
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr, p.untaken} {
		if f != nil {
			f.Close()
		}
	}
	p.copies.Wait()
}

// unread reports whether the process read no byte of a payload that was passed on
// standard input only: all that was written is still in the pipe.
func (p *process) unread() bool {
	if !p.alone {
		return false
	}
	p.stdin.Close()
	<-p.fed
	left, err := unix.IoctlGetInt(int(p.untaken.Fd()), bytesInPipe)
	return err == nil && left == p.written
}

// outcome returns how the process ended. It closes the pipes first, because a process
// that left its group may still write.
func (p *process) outcome() Outcome {
	unread := p.unread()
	p.release()
	p.cmd.Process.Release()
	o := Outcome{Stdout: p.output.head, Stderr: p.tail.text(), Exit: -1, Unread: unread, Asked: p.asked}
	o.Spooled, o.Size = p.output.close()
	switch {
	case !p.hasExited():
	case p.status.Signaled():
		o.Signal = p.status.Signal().String()
	default:
		o.Exit = p.status.ExitStatus()
	}
	return o
}
