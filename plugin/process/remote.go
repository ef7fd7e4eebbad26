package process

import (
	"cmp"
	"context"
	"io"
	"time"
)

// Remote is a process that another program supervises, and the connection to that program. It is
// an interface because the connection is package keeper's, which imports this package.
type Remote interface {
	// Write writes to standard input and returns how many bytes the process may have got;
	// Close closes standard input. A deadline in the past ends a Write.
	io.WriteCloser
	SetWriteDeadline(t time.Time) error
	// Follow passes on the output of the process, until the process has ended, was released or cannot
	// be reached any longer. finish is called when nothing more comes on standard output. Only Exit
	// and Signal of the Outcome are used. It is called once.
	Follow(stdout, stderr func([]byte), finish func()) (Outcome, error)
	// End ends the process with its group, and Follow.
	End()
	// Release gives the process back, which has written so many bytes to standard output, and
	// reports whether it could report that; it ends Follow.
	Release(written int64) bool
}

// Adopt makes a Process of one that another program supervises: its output is bounded and
// passed on as for [Runner.Start], and it is ended with ctx. Of the command, Path is for
// messages, and MaxOutput and Spool are used.
func (e Runner) Adopt(ctx context.Context, c Command, r Remote) *Process {
	ctx, p := newProcess(ctx, c)
	a := &adopted{remote: r, streams: e.streams(c, p.out), exited: make(chan struct{})}
	p.host = a
	go a.follow()
	go p.supervise(ctx, c.Timeout)
	return p
}

// Release gives a process of [Runner.Adopt] back to the program that supervises it, which
// keeps it if all that it wrote were whole lines that were read. It reports false, and has
// no effect, for every other process. Nothing can be written or read after that.
func (p *Process) Release() bool {
	a, isAdopted := p.host.(*adopted)
	if !isAdopted || p.lines == nil {
		return false
	}
	notify(p.closing)
	return a.remote.Release(p.lines.taken())
}

// Pid is the process's id; 0 if another program supervises it.
func (p *Process) Pid() int {
	if own, isOwn := p.host.(ownChild); isOwn {
		return id(own.child)
	}
	return 0
}

// adopted is a process that another program supervises.
type adopted struct {
	remote  Remote
	streams streams
	exited  chan struct{} // closed when nothing more comes from it
	ended   Outcome       // how it ended, with err, once exited is closed
	err     error
}

func (a *adopted) input() input          { return a.remote }
func (a *adopted) gone() <-chan struct{} { return a.exited }
func (a *adopted) cut()                  {} // what the other program has read comes before its end

// follow takes what the process writes.
func (a *adopted) follow() {
	a.ended, a.err = a.remote.Follow(a.streams.takeOutput, a.streams.takeErrors, a.streams.out.finish)
	a.streams.out.finish()
	close(a.exited)
}

// wait waits for its end, or has it ended.
func (a *adopted) wait(ctx context.Context, timeout time.Duration) error {
	var expired <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		expired = timer.C
	}
	var err error
	select {
	case <-a.exited:
	case <-ctx.Done():
		err = ctx.Err()
	case <-expired:
		err = noAnswer(timeout)
	case <-a.streams.flooded:
		err = a.streams.out.failure()
	}
	if isClosed(a.exited) { // also if its time is over by now
		return cmp.Or(a.streams.overflow(), a.err)
	}
	a.streams.out.hurry()
	a.remote.End()
	<-a.exited
	return err
}

// outcome returns how it ended.
func (a *adopted) outcome() Outcome {
	o := Outcome{Stderr: a.streams.tail.text(), Exit: a.ended.Exit, Signal: a.ended.Signal}
	o.Stdout, o.Spooled, o.Size = a.streams.out.kept()
	return o
}
