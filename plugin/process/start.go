//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
)

// start starts a command's process, whose standard output goes to out. Nothing reads from
// it until finish or attend is called.
func (e Runner) start(ctx context.Context, c Command, out sink) (*child, error) {
	defer closeAll(c.Files...)
	p := &child{runner: e, streams: e.streams(c, out), ends: noPipes()}
	p.alone, p.session = c.Data != nil && !c.Data.fits(), c.NoTerminal
	p.whole, p.leave = c.Whole, c.Leave
	err := p.launch(ctx, c)
	if errors.Is(err, syscall.E2BIG) && c.Data != nil && !p.alone {
		// The environment without the data is close to the total limit.
		p.release()
		p.alone = true
		err = p.launch(ctx, c)
	}
	if err == nil {
		return p, nil
	}
	p.release()
	var refused *checkError
	switch {
	case errors.As(err, &refused):
		return nil, refused.err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errNoWay):
		return nil, fmt.Errorf("%w: %s of data are %w", ErrStart, humanize.Bytes(uint64(len(c.Data.Value))), errNoWay)
	}
	return nil, fmt.Errorf("%w: %s", ErrStart, explain(c, err))
}

// launch makes the pipes, writes what fits of the input, and starts the process.
func (p *child) launch(ctx context.Context, c Command) error {
	if p.alone && c.InheritStdin {
		return errNoWay
	}
	var theirs pipes
	var err error
	p.ends, theirs, err = openPipes()
	defer theirs.closeAll()
	if err != nil {
		return err
	}
	s := &spawn{path: c.Path, args: append([]string{c.Path}, c.Args...), check: c.Check}
	s.attr = syscall.ProcAttr{Dir: c.Dir, Env: p.runner.environment(c, p.alone), Sys: supervised()}
	if p.session {
		s.attr.Sys.Setpgid, s.attr.Sys.Setsid = false, true // a session has a group of its own
	}
	stdin := theirs[0]
	if c.InheritStdin {
		if stdin, err = giveInput(ctx, p, &theirs, s.attr.Sys); err != nil {
			return err
		}
	}
	s.attr.Files = []uintptr{uintptr(stdin), uintptr(theirs[1]), uintptr(theirs[2])}
	for _, file := range c.Files {
		s.attr.Files = append(s.attr.Files, file.Fd())
	}
	p.streams.input, p.streams.written = c.Stdin, 0
	if c.Stdin != nil {
		p.ends.write(&p.streams)
	}
	p.began = time.Now()
	if p.pid, err = s.start(); err != nil {
		return err
	}
	if p.alone { // to count what the process has not read
		p.untaken = os.NewFile(uintptr(theirs[0]), "stdin")
		theirs[0] = -1
	}
	if p.loan != nil {
		p.loan.group = p.pid
	}
	return nil
}

// giveInput returns the standard input of a process that gets no pipe: the terminal, which
// it takes for the process, or the null device in place of the pipe.
func giveInput(ctx context.Context, p *child, theirs *pipes, attr *syscall.SysProcAttr) (fd int, err error) {
	p.ends.close(0)
	theirs.close(0)
	if p.runner.Terminal != nil {
		fd := int(p.runner.Terminal.Fd())
		return fd, p.takeTerminal(ctx, attr)
	}
	theirs[0], err = syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	return theirs[0], err
}

// finish waits for the process to end, or ends it: in one loop if it ends soon, with
// goroutines otherwise.
func finish(ctx context.Context, p *child, c Command) error {
	p.ends.write(&p.streams)
	if p.loan == nil && endsSoon(ctx, p, c.Timeout) {
		p.streams.out.finish()
		return nil
	}
	attend(p)
	p.streams.feed()
	return p.wait(ctx, c.Timeout)
}

// attend passes the pipes and the process on to goroutines.
func attend(p *child) {
	watch(p)
	p.streams.begin()
}

// watch passes the process on to a goroutine, and the pipes to those that will read from them.
func watch(p *child) {
	p.streams.stdin = p.ends.file(0, "stdin")
	p.streams.stdout = p.ends.file(1, "stdout")
	p.streams.stderr = p.ends.file(2, "stderr")
	if p.group == nil {
		p.group = newGroup(p.pid)
	}
	p.group.session = p.session
	p.exited = p.group.exited
}
