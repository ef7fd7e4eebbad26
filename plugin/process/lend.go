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

// Lender lends the host's terminal to processes that ask the person there. Every
// process is in the background, where the kernel stops whoever reads from the
// terminal; such a process gets the terminal, one at a time, until it ends.
//
// A Lender is safe for concurrent use.
type Lender struct {
	lent     func() (back func())
	patience time.Duration
	turn     chan struct{} // holds an element while the terminal is lent
}

// NewLender makes a Lender. It calls lent when the terminal is about to be lent,
// and what that returns when it is back: nothing should be drawn meanwhile; nil:
// nobody is told. A process may have the terminal for as long as patience says,
// or for its own time limit if that is longer; 0: 10 minutes.
func NewLender(patience time.Duration, lent func() (back func())) *Lender {
	if patience <= 0 {
		patience = DefaultPatience
	}
	if lent == nil {
		lent = func() func() { return func() {} }
	}
	return &Lender{lent: lent, patience: patience, turn: make(chan struct{}, 1)}
}

// wait waits for a process's turn. Without a lender there are no turns.
func (l *Lender) wait(ctx context.Context, gone <-chan struct{}) error {
	if l == nil {
		return nil
	}
	select {
	case l.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-gone:
		return ErrNoTerminal
	}
}

// done ends a process's turn.
func (l *Lender) done() {
	if l != nil {
		<-l.turn
	}
}

// loan is the terminal while a process has it.
type loan struct {
	lender  *Lender
	tty     int
	group   int           // whom it was given to; 0: nobody
	modes   *unix.Termios // as the host had them
	theirs  *unix.Termios // as the process had them when it was suspended
	back    func()
	ignored chan os.Signal
}

// lend opens the host's terminal for a process, when its turn has come and the
// host is in the foreground.
func (l *Lender) lend(ctx context.Context, gone <-chan struct{}) (*loan, error) {
	if l == nil {
		return nil, ErrNoTerminal
	}
	if err := l.wait(ctx, gone); err != nil {
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

// newLoan begins a loan. What was typed before is no answer to the process.
func newLoan(l *Lender, tty int) *loan {
	flushInput(tty)
	a := &loan{lender: l, tty: tty, back: func() {}, ignored: make(chan os.Signal, 1)}
	a.modes, _ = unix.IoctlGetTermios(tty, getModes)
	if l != nil {
		a.back = l.lent()
	}
	return a
}

// give puts a group into the foreground. What is typed can be seen and edited,
// also where a pager beside the host has set the terminal to other modes.
func (a *loan) give(group int) error {
	switch now, err := unix.IoctlGetInt(a.tty, unix.TIOCGPGRP); {
	case err == nil && now == group:
		return nil // it has it already
	case a.group != 0: // from the background, the kernel would not let the host try
		return errors.New("it passed it on")
	}
	modes := a.theirs
	if modes == nil && a.modes != nil {
		plain := *a.modes
		plain.Lflag |= unix.ICANON | unix.ECHO | unix.ISIG
		plain.Iflag |= unix.ICRNL
		modes = &plain
	}
	if modes != nil {
		unix.IoctlSetTermios(a.tty, setModes, modes)
	}
	// A pager beside the host that reads from the terminal meanwhile is stopped,
	// and the kernel means its whole group: the host has to go on.
	signal.Notify(a.ignored, syscall.SIGTTIN, syscall.SIGTTOU)
	a.group = group
	err := unix.IoctlSetPointerInt(a.tty, unix.TIOCSPGRP, group)
	// One that waits in a read would take the answer: it has to read anew.
	syscall.Kill(0, syscall.SIGWINCH)
	return err
}

// take puts the host into the foreground again, with the terminal as it was,
// unless somebody else has it: then a shell has, and the host is in the background.
func (a *loan) take() {
	defer signal.Stop(a.ignored)
	group := a.group
	a.group = 0
	now, err := unix.IoctlGetInt(a.tty, unix.TIOCGPGRP)
	if err != nil || now != group && syscall.Kill(-now, 0) == nil {
		return
	}
	a.theirs, _ = unix.IoctlGetTermios(a.tty, getModes)
	// From the background, these stop a process that has not ruled that out.
	unstoppable(func() {
		unix.IoctlSetPointerInt(a.tty, unix.TIOCSPGRP, unix.Getpgrp())
		if a.modes != nil {
			unix.IoctlSetTermios(a.tty, setModes, a.modes)
		}
	})
}

// end ends the loan.
func (a *loan) end() {
	a.take()
	unix.Close(a.tty)
	syscall.Kill(0, syscall.SIGCONT) // the pager goes on
	a.back()
	a.lender.done()
}

// isForeground reports whether the host has the terminal.
func isForeground(tty int) bool {
	group, err := unix.IoctlGetInt(tty, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// waitForForeground stops the host, as the kernel stops whoever asks from the
// background, until the person puts it into the foreground. It reports whether
// they did: where no shell looks after jobs, nobody can. A host that was told to
// end while it was stopped hears that when it goes on.
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

// suspend stops the host with its group, as a job of the person's shell, and
// returns when it goes on; false: it could not be stopped.
func suspend(why syscall.Signal) bool {
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, syscall.SIGCONT)
	defer signal.Stop(goesOn)
	syscall.Kill(0, why)
	// The first timer may have run out while the host was stopped, with the
	// signal still on its way.
	for range 2 {
		select {
		case <-goesOn:
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
