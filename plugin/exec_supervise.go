//go:build unix

package plugin

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// process is a running command.
type process struct {
	exec    Exec
	cmd     *exec.Cmd
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
	cleanup []func()
	// foreground says that the process had the terminal to itself.
	foreground bool
}

// begin starts what reads and writes the pipes, and what waits for the end.
func (p *process) begin(cmd *exec.Cmd, input []byte, stdin, stdout, stderr *os.File) {
	p.cmd, p.stdin, p.stdout, p.stderr = cmd, stdin, stdout, stderr
	p.drained, p.exited, p.flooded = make(chan struct{}), make(chan struct{}), make(chan struct{})
	p.fed = make(chan struct{})
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
	p.copies.Go(func() {
		cmd.Wait()
		close(p.exited)
	})
}

// readOutput keeps standard output, and drops what cannot be kept so that the
// process can end.
func (p *process) readOutput() {
	buf := make([]byte, 64<<10)
	full := false
	for {
		n, err := p.stdout.Read(buf)
		if !full && !p.output.keep(buf[:n]) {
			full = true
			close(p.flooded)
		}
		if err != nil {
			return
		}
	}
}

// readErrors passes standard error on and keeps its tail.
func (p *process) readErrors() {
	buf := make([]byte, 4<<10)
	for {
		n, err := p.stderr.Read(buf)
		p.tail.add(buf[:n])
		if p.exec.Stderr != nil && n > 0 {
			p.exec.Stderr.Write(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// wait waits for the process to end, or ends it.
func (p *process) wait(ctx context.Context, timeout time.Duration) error {
	var expired <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case <-p.exited:
		p.drain()
		return p.complaint()
	case <-ctx.Done():
		p.end()
		return ctx.Err()
	case <-expired:
		p.end()
		return noAnswer(timeout)
	case <-p.flooded:
		p.end()
		return p.output.failure()
	}
}

// complaint is what is wrong with a process that ended by itself: one that
// wrote too much may be gone before the reader sees that.
func (p *process) complaint() error {
	select {
	case <-p.flooded:
		return p.output.failure()
	default:
		return p.interruption()
	}
}

// drain takes what is left in the pipes of a process that has ended. Whoever
// still holds them is not waited for: it is a child in the background, and it
// is ended.
func (p *process) drain() {
	if !p.drainedWithin(holdOut) {
		p.signal(syscall.SIGKILL)
		p.drainedWithin(holdOut)
	}
}

// end ends the whole group: politely, then not. The grace is for the children
// that hold the pipes too: a shell is gone at once, the program it ran may have
// something to put away.
func (p *process) end() {
	p.signal(syscall.SIGTERM)
	grace, cancel := context.WithTimeout(context.Background(), p.exec.grace())
	defer cancel()
	for _, ended := range []chan struct{}{p.exited, p.drained} {
		select {
		case <-ended:
		case <-grace.Done():
		}
	}
	p.signal(syscall.SIGKILL)
	<-p.exited
	p.drainedWithin(holdOut)
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

// signal signals the group. Its id stays taken as long as a member lives; if
// none does, there is nobody to hear it.
func (p *process) signal(s syscall.Signal) { syscall.Kill(-p.cmd.Process.Pid, s) }

// release closes the pipes, which ends the goroutines at them, and removes what
// the run left.
func (p *process) release() {
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr, p.untaken} {
		if f != nil {
			f.Close()
		}
	}
	p.copies.Wait()
	for _, remove := range p.cleanup {
		remove()
	}
	p.cleanup = nil
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
	state := p.cmd.ProcessState
	o := Outcome{Unread: unread, Stdout: p.output.head, Stderr: p.tail.text(), Exit: state.ExitCode()}
	o.Spooled, o.Size = p.output.close()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		o.Signal = status.Signal().String()
	}
	return o
}

// tail keeps the end of a stream.
type tail struct{ kept []byte }

func (t *tail) add(p []byte) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - stderrTail; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
}

// text replaces bytes that are not UTF-8 by one byte each at most, so that the
// text stays within the bound.
func (t *tail) text() string { return strings.ToValidUTF8(string(t.kept), "?") }
