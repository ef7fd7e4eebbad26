//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
)

// start starts a command's process, whose standard output goes to out. It creates the
// pipes itself, because os/exec would wait until every process has closed them.
func (e Runner) start(ctx context.Context, c Command, out sink) (*child, error) {
	p := &child{runner: e, streams: e.streams(c, out)}
	p.alone = c.Data != nil && !c.Data.fits()
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

// launch starts the process and its readers.
func (p *child) launch(ctx context.Context, c Command) error {
	if p.alone && c.InheritStdin {
		return errNoWay
	}
	cmd := &exec.Cmd{Path: c.Path, Args: append([]string{c.Path}, c.Args...),
		Env: p.runner.environment(c, p.alone), Dir: c.Dir}
	cmd.SysProcAttr = supervised()
	theirs, err := p.streams.open()
	if err != nil {
		closeAll(theirs[:]...)
		return err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	if c.InheritStdin {
		cmd.Stdin = nil
		if p.runner.Terminal != nil {
			cmd.Stdin = p.runner.Terminal
			if err := p.takeTerminal(ctx, cmd); err != nil {
				closeAll(theirs[:]...)
				return err
			}
		}
	}
	if err := startRetrying(cmd, c.Check); err != nil {
		closeAll(theirs[:]...)
		return err
	}
	if p.alone {
		p.untaken, theirs[0] = theirs[0], nil // to count what the process has not read
	}
	closeAll(theirs[:]...)
	if p.loan != nil {
		p.loan.group = cmd.Process.Pid
	}
	p.group = newGroup(cmd.Process)
	p.exited = p.group.exited
	p.streams.begin()
	return nil
}

// checkError is the error of Command.Check.
type checkError struct{ err error }

func (e *checkError) Error() string { return e.err.Error() }

// startRetrying starts a process if the check allows it. It retries on ETXTBSY: a script
// that was just written may still be open for writing in a process that another
// goroutine is forking.
func startRetrying(cmd *exec.Cmd, check func() error) error {
	for delay := time.Millisecond; ; delay *= 2 {
		if check != nil {
			if err := check(); err != nil {
				return &checkError{err}
			}
		}
		err := cmd.Start()
		if !errors.Is(err, syscall.ETXTBSY) || delay > 200*time.Millisecond {
			return err
		}
		time.Sleep(delay)
		*cmd = exec.Cmd{
			Path: cmd.Path, Args: cmd.Args, Env: cmd.Env, Dir: cmd.Dir, SysProcAttr: cmd.SysProcAttr,
			Stdin: cmd.Stdin, Stdout: cmd.Stdout, Stderr: cmd.Stderr,
		}
	}
}
