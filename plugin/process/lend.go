//go:build unix

package process

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Lender lends the host's terminal to processes that ask the person a question there.
// All processes run in the background, where the kernel stops a process that reads from
// the terminal; a stopped process gets the terminal until it ends, one process at a time.
//
// A Lender is safe for concurrent use.
type Lender struct {
	lent     func() (back func())
	patience time.Duration
	turn     chan struct{} // holds an element while the terminal is lent
}

// NewLender returns a Lender. It calls lent, if not nil, before the terminal is lent,
// and the function that lent returns when the terminal is back; in between the host must
// not draw. A process may have the terminal for the duration patience, or for its own
// time limit if that is longer; 0: 10 minutes.
func NewLender(patience time.Duration, lent func() (back func())) *Lender {
	if patience <= 0 {
		patience = DefaultPatience
	}
	if lent == nil {
		lent = func() func() { return func() {} }
	}
	return &Lender{lent: lent, patience: patience, turn: make(chan struct{}, 1)}
}

// wait waits for a process's turn. Without a lender it returns at once.
func (l *Lender) wait(ctx context.Context, exited <-chan struct{}) error {
	if l == nil {
		return nil
	}
	select {
	case l.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-exited:
		return ErrNoTerminal
	}
}

// done ends a process's turn.
func (l *Lender) done() {
	if l != nil {
		<-l.turn
	}
}

// loan is the state of the terminal while a process has it.
type loan struct {
	lender  *Lender
	tty     int
	group   int           // the process group that has it; 0: none
	modes   *unix.Termios // of the host
	theirs  *unix.Termios // of the process when it was suspended
	back    func()
	ignored chan os.Signal
}

// lend opens the host's terminal for a process once it is the process's turn and the
// host is in the foreground.
func (l *Lender) lend(ctx context.Context, exited <-chan struct{}) (*loan, error) {
	if l == nil {
		return nil, ErrNoTerminal
	}
	if err := l.wait(ctx, exited); err != nil {
		return nil, err
	}
	tty, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		l.done()
		return nil, ErrNoTerminal
	}
	if !waitForForeground(ctx, tty) {
		unix.Close(tty)
		l.done()
		return nil, ErrNoTerminal
	}
	return newLoan(l, tty), nil
}

// newLoan begins a loan. It discards input that was typed before the question.
func newLoan(l *Lender, tty int) *loan {
	flushInput(tty)
	a := &loan{lender: l, tty: tty, back: func() {}, ignored: make(chan os.Signal, 1)}
	a.modes, _ = unix.IoctlGetTermios(tty, getModes)
	if l != nil {
		a.back = l.lent()
	}
	return a
}

// give puts a process group into the foreground. It turns on echo and line editing,
// which a pager that runs beside the host may have turned off.
func (a *loan) give(group int) error {
	switch now, err := unix.IoctlGetInt(a.tty, unix.TIOCGPGRP); {
	case err == nil && now == group:
		return nil // already in the foreground
	case a.group != 0: // the kernel would stop the host in the background for trying
		return errors.New("it passed the terminal on to another process group")
	}
	modes := a.theirs
	if modes == nil {
		modes = a.plain()
	}
	if modes != nil {
		unix.IoctlSetTermios(a.tty, setModes, modes)
	}
	// A pager beside the host that reads from the terminal now is stopped together with
	// its whole process group, which includes the host: the host must not stop.
	signal.Notify(a.ignored, syscall.SIGTTIN, syscall.SIGTTOU)
	a.group = group
	err := unix.IoctlSetPointerInt(a.tty, unix.TIOCSPGRP, group)
	// A pager that is blocked in a read would take the answer: this interrupts the read.
	syscall.Kill(0, syscall.SIGWINCH)
	return err
}

// plain returns the host's modes with echo and line editing, nil if they are unknown.
func (a *loan) plain() *unix.Termios {
	if a.modes == nil {
		return nil
	}
	plain := *a.modes
	plain.Lflag |= unix.ICANON | unix.ECHO | unix.ISIG
	plain.Iflag |= unix.ICRNL
	return &plain
}

// take puts the host into the foreground again and restores the terminal's modes,
// unless another group has the terminal: then a shell put the host into the background.
func (a *loan) take() {
	defer signal.Stop(a.ignored)
	group := a.group
	a.group = 0
	now, err := unix.IoctlGetInt(a.tty, unix.TIOCGPGRP)
	if err != nil || now != group && syscall.Kill(-now, 0) == nil {
		return
	}
	a.theirs, _ = unix.IoctlGetTermios(a.tty, getModes)
	// In the background, these calls stop a process that does not block SIGTTOU.
	unstoppable(func() {
		unix.IoctlSetPointerInt(a.tty, unix.TIOCSPGRP, unix.Getpgrp())
		if a.modes != nil {
			unix.IoctlSetTermios(a.tty, setModes, a.modes)
		}
	})
}

func (a *loan) end() {
	a.take()
	unix.Close(a.tty)
	syscall.Kill(0, syscall.SIGCONT) // continue the pager
	a.back()
	a.lender.done()
}

// isForeground reports whether the host is in the foreground of the terminal.
func isForeground(tty int) bool {
	group, err := unix.IoctlGetInt(tty, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// waitForForeground stops the host, as the kernel stops a process that reads in the
// background, until the person puts it into the foreground. It returns false if that is
// not possible, because no shell controls jobs, or if ctx ends; a signal that ends the
// host is delivered when the host continues.
func waitForForeground(ctx context.Context, tty int) bool {
	for !isForeground(tty) {
		if !suspend(syscall.SIGTTIN) {
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(50 * time.Millisecond):
		}
	}
	return true
}

// suspend stops the host's process group, as a job of the person's shell, and returns
// when it continues. It returns false if the group could not be stopped.
func suspend(why syscall.Signal) bool {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	syscall.Kill(0, why)
	// The first timer may have expired while the host was stopped, before the signal
	// is delivered.
	for range 2 {
		select {
		case <-continued:
			return true
		case <-time.After(200 * time.Millisecond):
		}
	}
	return false
}

// patience is how long a process may have the terminal.
func (a *loan) patience() time.Duration {
	if a.lender == nil {
		return 0
	}
	return a.lender.patience
}
