//go:build unix

package screen

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// notifyResumed passes on that the program was stopped and goes on.
func notifyResumed(resumed chan<- os.Signal) { signal.Notify(resumed, syscall.SIGCONT) }

// inForeground reports whether this process may draw on a terminal: not in the
// background of a shell, if that is known.
func inForeground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}
