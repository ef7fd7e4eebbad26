//go:build unix

package process

import (
	"context"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// takeTerminal makes the process start in the foreground of the terminal, if the host
// is in its foreground.
func (p *child) takeTerminal(ctx context.Context, attr *syscall.SysProcAttr) error {
	fd := int(p.runner.Terminal.Fd())
	if !term.IsTerminal(fd) {
		return nil
	}
	if err := p.runner.Lender.wait(ctx, nil); err != nil {
		return err
	}
	if !isForeground(fd) {
		p.runner.Lender.done()
		return nil
	}
	tty, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		p.runner.Lender.done()
		return err
	}
	p.loan, p.asked = newLoan(p.runner.Lender, tty), true
	attr.Foreground = true
	attr.Ctty = fd
	return nil
}

// resume handles a process that was stopped: one that asks the person gets the
// terminal, and one that the person suspended is suspended together with the host. Any
// other stop is only reported, because whoever sent the signal has a reason.
func (p *child) resume(ctx context.Context, why syscall.Signal) error {
	switch {
	case why == syscall.SIGTTIN || why == syscall.SIGTTOU:
		p.asked = true
		if p.loan == nil {
			var err error
			if p.loan, err = p.runner.Lender.lend(ctx, p.group.exited); err != nil {
				return err
			}
		}
	case why == syscall.SIGTSTP && p.loan != nil:
		p.loan.take()
		suspend(why)
		if !waitForForeground(ctx, p.loan.tty) {
			return ErrNoTerminal
		}
	default:
		if p.runner.Stderr != nil {
			fmt.Fprintf(p.runner.Stderr, "chibi: %s was stopped by a signal (%s); to let it go on, run: kill -CONT %d\n",
				p.streams.forward.from, unix.SignalName(why), p.group.leader)
		}
		return nil
	}
	if err := p.loan.give(p.group.current()); err != nil {
		return fmt.Errorf("%w: %v", ErrNoTerminal, err)
	}
	p.group.signal(syscall.SIGCONT)
	return nil
}

// giveBack ends the loan of the terminal, if there is one.
func (p *child) giveBack() {
	if p.loan != nil {
		p.loan.end()
		p.loan = nil
	}
}

// interrupted returns the error of a process at the terminal that was ended by Ctrl-C.
// The host was in the background and did not get the signal; the error cancels its work.
func (p *child) interrupted() error {
	if p.asked && p.group.status.Signaled() && p.group.status.Signal() == syscall.SIGINT {
		return errCtrlC
	}
	return nil
}

// errCtrlC means that the person ended a question with Ctrl-C.
const errCtrlC ctrlC = "ended by Ctrl-C"

// ctrlC is an interruption that reached only the process, not the host.
type ctrlC string

func (e ctrlC) Error() string { return string(e) }

// Unwrap makes it a cancellation.
func (ctrlC) Unwrap() error { return context.Canceled }
