package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Lines is what a protocol of lines needs of its peer: a [Process], or a test's stand-in.
type Lines interface {
	// ReadLine returns the next line without its newline.
	ReadLine(ctx context.Context) ([]byte, error)
	// WriteLine writes a line and a newline; n is how many of these bytes were written.
	WriteLine(ctx context.Context, line []byte) (n int, err error)
}

// Process is a command that stays: its standard input and output are streams of lines. It
// is supervised as a command of [Runner.Run] is, and ends with the context that it was
// started with.
//
// It never gets the terminal: a process that asks the person at /dev/tty is ended, with ErrNoTerminal.
//
// A Process is safe for concurrent use. Each line is read by one reader, and no two writers
// mix their lines.
type Process struct {
	host  hosted
	lines *lines // nil: Command.Output has what it writes
	out   sink

	stop    context.CancelCauseFunc
	ending  <-chan struct{} // closed when the process is to end
	reason  func() error    // why it is to end; nil: Close was called
	done    chan struct{}
	outcome Outcome // with err, once done is closed
	err     error

	writing chan struct{} // holds an element while a line is written
	closing chan struct{} // holds an element once Close was called
	buffer  []byte        // what is written, for the next line; used while writing
}

// hosted is a process as whoever supervises it sees it: a child of this program, or a
// process of another one.
type hosted interface {
	// wait waits for its end, or ends it.
	wait(ctx context.Context, timeout time.Duration) error
	// outcome closes the pipes and returns how it ended.
	outcome() Outcome
	// input is its standard input.
	input() input
	// gone returns a channel that is closed when the process itself has ended.
	gone() <-chan struct{}
	// cut has reading end once what is in standard output now was read.
	cut()
}

// input is the standard input of a process. A deadline in the past ends a Write.
type input interface {
	io.WriteCloser
	SetWriteDeadline(t time.Time) error
}

type ownChild struct{ *child }

func (p ownChild) input() input          { return p.streams.stdin }
func (p ownChild) gone() <-chan struct{} { return p.exited }
func (p ownChild) cut()                  { cut(p.streams.stdout) }

// ErrClosed means that a process has stopped reading or writing lines; the error says why.
var ErrClosed = errors.New("connection closed")

// Start starts a command that stays, until it ends, ctx ends, Command.Timeout is over or
// Close is called. Of the command, MaxOutput bounds each line of standard output, and the
// unread output when the process ends; Spool makes files for lines that are larger than
// 1 MiB. Stdin, Data and InheritStdin are for Run.
// Errors are ErrStart and the error of ctx.
func (e Runner) Start(ctx context.Context, c Command) (*Process, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if c.Stdin != nil || c.Data != nil || c.InheritStdin {
		return nil, fmt.Errorf("%w: Stdin, Data and InheritStdin are for one answer", ErrStart)
	}
	e, c = e.withoutTerminal(c)
	e.Lender = nil
	ctx, p := newProcess(ctx, c)
	child, err := e.start(ctx, c, p.out)
	if err != nil {
		p.stop(nil)
		return nil, err
	}
	p.host = ownChild{child}
	attend(child)
	go p.supervise(ctx, c.Timeout)
	return p, nil
}

// newProcess returns a process that has no host yet, and its context.
func newProcess(ctx context.Context, c Command) (context.Context, *Process) {
	p := &Process{done: make(chan struct{}), writing: make(chan struct{}, 1), closing: make(chan struct{}, 1)}
	if c.Output != nil {
		p.out = &through{to: c.Output}
	} else {
		p.lines = newLines(c)
		p.out = p.lines
	}
	ctx, p.stop = context.WithCancelCause(ctx)
	p.ending, p.reason = ctx.Done(), func() error { return reason(ctx) }
	return ctx, p
}

// supervise waits for the end of the process.
func (p *Process) supervise(ctx context.Context, timeout time.Duration) {
	err := p.host.wait(ctx, timeout)
	if err != nil && err == ctx.Err() {
		err = reason(ctx)
	}
	outcome := p.host.outcome()
	if err == nil { // it may have written too much after the order to end
		err = p.out.failure()
	}
	p.outcome, p.err = outcome, err
	close(p.done)
	p.stop(nil)
}

// ended is the cause with which this package ends a process.
type ended struct{ err error } // nil: Close was called

func (e *ended) Error() string { return fmt.Sprintf("ended by the host (%v)", e.err) }

// reason returns why the context of a process ended: nil after Close.
func reason(ctx context.Context) error {
	if own, ok := errors.AsType[*ended](context.Cause(ctx)); ok {
		return own.err
	}
	return ctx.Err()
}

// isClosed reports whether a channel is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Done returns a channel that is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// HasEnded reports whether the process has ended.
func (p *Process) HasEnded() bool { return isClosed(p.done) }

// Wait waits for the end of the process, as Run does, and returns how it ended. The error
// is nil if the process ended by itself or was closed. Stdout and Spooled of the Outcome are a
// line that was never completed. Lines that were not read can still be read.
func (p *Process) Wait() (Outcome, error) {
	<-p.done
	return p.outcome, p.err
}

// Close closes standard input, which tells the process to end. If it has not ended after
// the grace period, its group gets SIGTERM and, after Runner.Grace, SIGKILL.
func (p *Process) Close(grace time.Duration) (Outcome, error) {
	notify(p.closing)
	p.out.hurry()
	p.host.input().Close()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		p.stop(&ended{})
	}
	return p.Wait()
}

// Cut ends a process whose time is over. Its output until now can still be read, however late the host comes to it.
func (p *Process) Cut() {
	p.host.cut()
	p.stop(&ended{})
}

// ReadLine returns the next line of standard output without its newline. If ctx ends first,
// nothing is lost: the next call returns the line. A process that nobody reads from has to
// wait. When it has ended, ReadLine returns the complete lines that are left, then the reason:
// ErrClosed with exit status and standard error, or the error of Wait. A line over the bound
// ends the process, with ErrOutputLimit.
//
// If the command has a Spool, use ReadLong: of a line in a file, ReadLine returns the
// beginning.
func (p *Process) ReadLine(ctx context.Context) ([]byte, error) {
	line, err := p.ReadLong(ctx)
	return line.Data, err
}

// Line is a line of standard output without its newline.
type Line struct {
	// Data is the line; if Spooled is set, the first 1 MiB of it.
	Data []byte
	// Spooled is a file with the whole line, closed; nil if that is in Data. Whoever reads
	// the line removes it. Size is its size in bytes.
	Spooled Spool
	Size    int64
}

// LimitLines changes the bound on each line, in bytes, from now on.
func (p *Process) LimitLines(bytes int64) { p.lines.limit.Store(bytes) }

// ReadLong is like ReadLine, for lines that may be too large for memory.
func (p *Process) ReadLong(ctx context.Context) (Line, error) {
	if p.lines == nil {
		return Line{}, fmt.Errorf("%w: its lines go elsewhere", ErrClosed)
	}
	for {
		switch line, taken, closed := p.lines.take(); {
		case taken:
			return line, nil
		case closed:
			if err := p.lines.failure(); err != nil {
				return Line{}, err
			}
			return Line{}, p.closed(ctx, "it closed its standard output")
		}
		select {
		case <-p.lines.news:
		case <-ctx.Done():
			if line, taken, _ := p.lines.take(); taken {
				return line, nil
			}
			return Line{}, ctx.Err()
		}
	}
}

// WriteLine writes a line and a newline to standard input; n is how many of these bytes were
// written. If ctx ends before all are, the rest is not written; unless n is 0, the process
// is then ended, because it cannot know where the next line begins. On Windows it is ended
// even if n is 0.
func (p *Process) WriteLine(ctx context.Context, line []byte) (n int, err error) {
	if bytes.IndexByte(line, '\n') >= 0 {
		return 0, errors.New("a line cannot contain a newline")
	}
	return p.send(ctx, line, "\n")
}

// Write writes data to standard input, as WriteLine does with a line.
func (p *Process) Write(ctx context.Context, data []byte) (n int, err error) {
	return p.send(ctx, data, "")
}

// send writes data and what ends it.
func (p *Process) send(ctx context.Context, data []byte, end string) (n int, err error) {
	select {
	case p.writing <- struct{}{}:
		defer func() { <-p.writing }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case isClosed(p.ending) || len(p.closing) > 0:
		return 0, p.closed(ctx, "")
	}
	p.buffer = append(append(p.buffer[:0], data...), end...)
	n, err = writeUntil(ctx, p, p.buffer)
	if cap(p.buffer) > readAhead {
		p.buffer = nil
	}
	switch {
	case err == nil:
		return n, nil
	case ctx.Err() == nil:
		return n, p.closed(ctx, "it closed its standard input")
	case n > 0:
		p.stop(&ended{fmt.Errorf("it did not read a whole line: %w", ctx.Err())})
	}
	return n, ctx.Err()
}

// writeUntil writes data until ctx ends.
func writeUntil(ctx context.Context, p *Process, data []byte) (n int, err error) {
	stdin, cut := p.host.input(), make(chan struct{})
	inTime := context.AfterFunc(ctx, func() {
		defer close(cut)
		if stdin.SetWriteDeadline(time.Unix(1, 0)) != nil {
			// Windows's pipes have no deadlines; the end of the process ends the write.
			p.stop(&ended{fmt.Errorf("it did not read a whole line: %w", ctx.Err())})
		}
	})
	n, err = stdin.Write(data)
	if !inTime() {
		<-cut
		stdin.SetWriteDeadline(time.Time{})
	}
	if n < len(data) && err == nil {
		err = io.ErrShortWrite
	}
	return n, err
}

// closed returns why no line can be read or written any more. The pipes of a process close
// a moment before its end is known, so it waits for that; what says what was closed if
// the process does not end.
func (p *Process) closed(ctx context.Context, what string) error {
	timer := time.NewTimer(drainDelay)
	defer timer.Stop()
	select {
	case <-p.host.gone():
	case <-p.ending:
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		if len(p.closing) > 0 {
			what = "it was closed"
		}
		return fmt.Errorf("%w: %s", ErrClosed, what)
	}
	return whyEnded(ctx, p)
}

// whyEnded returns how a process ended that has ended or is to end.
func whyEnded(ctx context.Context, p *Process) error {
	select {
	case <-p.done:
	case <-p.ending: // after done too
	case <-ctx.Done():
		return ctx.Err()
	}
	if !p.HasEnded() { // it is being ended, which may take time
		if err := p.reason(); err != nil {
			return err
		}
		return fmt.Errorf("%w: it was closed", ErrClosed)
	}
	switch err := p.outcome.Err(); {
	case p.err != nil:
		return p.err
	case err != nil:
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return fmt.Errorf("%w: exit status 0", ErrClosed)
}
