//go:build unix

package process

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// Borrowed is the terminal while the host itself asks the person there. No process gets
// the terminal until it is given back.
type Borrowed struct {
	// File is the terminal, which edits lines and shows the typed text.
	File *os.File

	loan *loan
}

// Company says who else uses the terminal beside the host.
type Company int

const (
	// Alone means that nobody does.
	Alone Company = iota
	// WithReader means that the program that reads the host's output may use it, as a pager does.
	WithReader
)

// HasTerminal reports whether there is a terminal that could be borrowed.
func (l *Lender) HasTerminal() bool {
	tty, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	unix.Close(tty)
	return l != nil
}

// Borrow takes the terminal for a question of the host's own, once no process has it and
// the host is in the foreground, and discards what was typed before. Others in the host's
// process group are stopped until [Borrowed.Return] if one of them may read the person's typing.
// Where no shell controls jobs, as for the first process of a container, the kernel stops
// nobody: then such a reader can take a line, and the person has to type it again.
//
// Errors are [ErrNoTerminal] and the end of ctx.
func (l *Lender) Borrow(ctx context.Context, beside Company) (*Borrowed, error) {
	a, err := l.lend(ctx, nil)
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, err
	}
	fd, err := unix.FcntlInt(uintptr(a.tty), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		a.end()
		return nil, ErrNoTerminal
	}
	a.hold(beside)
	return &Borrowed{os.NewFile(uintptr(fd), "/dev/tty"), a}, nil
}

// Flush discards typed text that nobody has read.
func (b *Borrowed) Flush() { flushInput(b.loan.tty) }

// Return ends the loan and restores the terminal's modes.
func (b *Borrowed) Return() {
	b.File.Close()
	b.loan.end()
}

// hold keeps the terminal for the host, in the modes for typing a line.
func (a *loan) hold(beside Company) {
	a.group = unix.Getpgrp()
	if modes := a.plain(); modes != nil {
		unix.IoctlSetTermios(a.tty, setModes, modes)
	}
	if beside == WithReader { // as the kernel does with a program that reads in the background
		signal.Notify(a.ignored, syscall.SIGTTIN, syscall.SIGTTOU)
		syscall.Kill(0, syscall.SIGTTIN)
	}
}
