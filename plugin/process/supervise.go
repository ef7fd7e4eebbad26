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
	// alone says that the payload is on standard input alone; untaken is then
	// the read end of that pipe, and written what the host wrote into it.
	alone   bool
	untaken *os.File
	written int
	fed     chan struct{} // closed when no more will be written
	output  output
	tail    tail
	stops   chan syscall.Signal // what stopped it, when it was
	status  syscall.WaitStatus  // how it ended, once exited is closed
	loan    *loan               // the terminal, while the process has it
	asked   bool                // see Outcome.Asked
}

// begin starts what reads and writes the pipes, and what waits for the end.
func (p *process) begin(cmd *exec.Cmd, input []byte) {
	p.cmd, p.pid = cmd, cmd.Process.Pid
	p.drained, p.exited, p.flooded = make(chan struct{}), make(chan struct{}), make(chan struct{})
	p.fed, p.stops = make(chan struct{}), make(chan syscall.Signal, 1)
	var readers sync.WaitGroup
	readers.Go(p.readOutput)
	readers.Go(p.readErrors)
	p.copies.Go(func() {
		p.written, _ = p.stdin.Write(input) // a reader that went away is no failure
		p.stdin.Close()
		close(p.fed)
	})
	p.copies.Go(func() {
		readers.Wait()
		close(p.drained)
	})
	go p.watch()
}

// watch waits for the process to be stopped, which os/exec does not tell, and to
// end. It is not among the copies: what SIGKILL does not end is not waited for.
func (p *process) watch() {
	for {
		var status syscall.WaitStatus
		switch _, err := syscall.Wait4(p.pid, &status, syscall.WUNTRACED, nil); {
		case err == syscall.EINTR:
		case err == nil && status.Stopped():
			select {
			case p.stops <- status.StopSignal():
			default: // one is enough
			}
		default:
			p.status = status
			close(p.exited)
			return
		}
	}
}

// wait waits for the process to end, or ends it. While it waits for the terminal,
// or is suspended by the person, its clock stands still; when it gets the terminal
// the clock begins anew, once.
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
			if err := p.goOn(ctx, why); err != nil {
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

// exitError is what is wrong with a process that ended by itself: one that
// wrote too much may be gone before the reader sees that.
func (p *process) exitError() error {
	select {
	case <-p.flooded:
		return p.output.failure()
	default:
		return p.interrupted()
	}
}

// drain takes what is left in the pipes of a process that has ended. Whoever
// still holds them is not waited for: it is a child in the background, and it
// is ended.
func (p *process) drain() {
	if !p.drainedWithin(drainDelay) {
		p.signal(syscall.SIGKILL)
		p.drainedWithin(drainDelay)
	}
}

// end ends the whole group: politely, then not. The grace is for the children
// that hold the pipes too: a shell is gone at once, the program it ran may have
// something to put away. Nobody waits for what has left the group.
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

// await waits for an end, as long as ctx lasts.
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

// signal signals the group, and the process too if it has left it. The group's id
// stays taken as long as a member lives; if none does, there is nobody to hear it.
func (p *process) signal(s syscall.Signal) {
	syscall.Kill(-p.pid, s)
	if !p.isGone() && p.group() != p.pid {
		p.cmd.Process.Signal(s)
	}
}

// group is the process's group, its own unless it has changed that.
func (p *process) group() int {
	if group, err := unix.Getpgid(p.pid); err == nil {
		return group
	}
	return p.pid
}

// isGone reports whether the process has ended.
func (p *process) isGone() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// release closes the pipes, which ends the goroutines at them, and gives back the
// terminal.
func (p *process) release() {
	p.giveBack()
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr, p.untaken} {
		if f != nil {
			f.Close()
		}
	}
	p.copies.Wait()
}

// unread reports whether the process took not one byte of a payload that only
// standard input carried: all that was written is still in the pipe.
func (p *process) unread() bool {
	if !p.alone {
		return false
	}
	p.stdin.Close()
	<-p.fed
	left, err := unix.IoctlGetInt(int(p.untaken.Fd()), bytesInPipe)
	return err == nil && left == p.written
}

// outcome is how the process ended. The pipes are closed first: a process that
// escaped its group may still write.
func (p *process) outcome() Outcome {
	unread := p.unread()
	p.release()
	p.cmd.Process.Release()
	o := Outcome{Stdout: p.output.head, Stderr: p.tail.text(), Exit: -1, Unread: unread, Asked: p.asked}
	o.Spooled, o.Size = p.output.close()
	switch {
	case !p.isGone():
	case p.status.Signaled():
		o.Signal = p.status.Signal().String()
	default:
		o.Exit = p.status.ExitStatus()
	}
	return o
}
