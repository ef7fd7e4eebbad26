//go:build unix

package process

import (
	"context"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// child is a running command.
type child struct {
	runner  Runner
	pid     int
	began   time.Time
	ends    pipes           // those that no goroutine has
	group   *group          // nil: it has not been waited for
	session bool            // it has a session of its own
	whole   bool            // what it leaves is ended with it
	leave   bool            // what it leaves is let be
	exited  <-chan struct{} // closed when the process itself has ended
	streams streams
	// alone says that the payload is on standard input only; untaken is then the read
	// end of that pipe.
	alone   bool
	untaken *os.File
	loan    *loan // the terminal, while the process has it
	asked   bool  // see Outcome.Asked
}

// wait waits for the process to end, or ends it. The timeout does not run while the
// process waits for the terminal or is suspended by the person; it is restarted once,
// when the process gets the terminal.
func (p *child) wait(ctx context.Context, timeout time.Duration) error {
	defer p.giveBack()
	end := p.began.Add(timeout)
	timer := time.NewTimer(time.Until(end))
	defer timer.Stop()
	expired, over := timer.C, ctx.Done()
	if timeout <= 0 {
		expired = nil
	}
	for {
		select {
		case <-p.group.exited:
			p.giveBack()
			p.drain()
			if p.whole {
				p.group.endRest()
			}
			// It may have exited before the reader noticed that it wrote too much.
			if err := p.streams.overflow(); err != nil {
				return err
			}
			return p.interrupted()
		case <-over:
			if ctx.Err() == context.DeadlineExceeded && p.group.hasEnded() {
				over = nil // as below
				continue
			}
			p.end()
			return ctx.Err()
		case <-expired:
			if p.group.hasEnded() {
				expired = nil // what it answered counts, however late the host looks
				continue
			}
			p.end()
			return noAnswer(timeout)
		case <-p.streams.flooded:
			p.end()
			return p.streams.out.failure()
		case why := <-p.group.stops:
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

// drain reads what is left in the pipes of a process that has ended, however long it takes to
// read and to pass on. A child in the background that still holds them after a moment is ended,
// unless it is to be left.
func (p *child) drain() {
	p.streams.out.hurry()
	if !p.streams.drainedWithin(drainDelay) {
		if !p.leave {
			p.group.signal(syscall.SIGKILL)
		}
		p.streams.settle()
	}
}

// end ends the whole group: first with SIGTERM, then with SIGKILL. The grace period also
// applies to children that hold the pipes: a shell ends at once, but the program that it
// ran may have to clean up. Processes that left the group are not waited for. The context of the
// process has ended here, so the times count from now.
func (p *child) end() {
	p.streams.out.hurry()
	p.group.signal(syscall.SIGTERM)
	p.group.signal(syscall.SIGCONT)
	grace, cancel := context.WithTimeout(context.Background(), p.runner.grace())
	defer cancel()
	await(grace, p.group.exited)
	for grace.Err() == nil && !p.streams.drainedWithin(10*time.Millisecond) && p.group.hasMembers() {
	}
	p.group.signal(syscall.SIGKILL)
	killed, cancel := context.WithTimeout(context.Background(), killDelay)
	defer cancel()
	await(killed, p.group.exited)
	p.streams.settle()
}

// await waits for ended, or until ctx ends.
func await(ctx context.Context, ended <-chan struct{}) {
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

// release closes the pipes, which ends their goroutines, and takes back the terminal.
func (p *child) release() {
	p.giveBack()
	p.ends.closeAll()
	closeAll(p.untaken)
	p.streams.close()
}

// unread reports whether the process read no byte of a payload that was passed on
// standard input only: all that was written is still in the pipe.
func (p *child) unread() bool {
	if !p.alone {
		return false
	}
	p.ends.close(0)
	if p.streams.stdin != nil {
		p.streams.stdin.Close()
		<-p.streams.fed
	}
	left, err := unix.IoctlGetInt(int(p.untaken.Fd()), bytesInPipe)
	return err == nil && left == p.streams.written
}

// outcome returns how the process ended. It closes the pipes first, because a process
// that left its group may still write.
func (p *child) outcome() Outcome {
	unread := p.unread()
	p.release()
	if p.group.process != nil {
		p.group.process.Release()
	}
	o := Outcome{Stderr: p.streams.tail.text(), Exit: -1, Unread: unread, Asked: p.asked}
	o.Stdout, o.Spooled, o.Size = p.streams.out.kept()
	if p.leave && p.group.hasMembers() {
		o.Left = p.pid
	}
	switch {
	case !p.group.hasExited() || !p.group.known:
	case p.group.status.Signaled():
		o.Signal = p.group.status.Signal().String()
	default:
		o.Exit = p.group.status.ExitStatus()
	}
	return o
}

func id(p *child) int { return p.pid }
