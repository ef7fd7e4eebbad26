//go:build unix

package typing

import (
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Quiet makes a terminal keep what is typed for the next read, key by key and without showing
// it, until the returned function is called. Ctrl-C is a signal as before. While Ctrl-Z has
// stopped the program, the terminal is as it was.
func Quiet(in *os.File) (restore func(), err error) {
	fd := int(in.Fd())
	before, err := unix.IoctlGetTermios(fd, getModes)
	if err != nil {
		return nil, fmt.Errorf("preparing the terminal: %w", err)
	}
	quiet := *before
	quiet.Lflag &^= unix.ECHO | unix.ICANON
	quiet.Cc[unix.VMIN], quiet.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, setModes, &quiet); err != nil {
		return nil, fmt.Errorf("preparing the terminal: %w", err)
	}
	done := make(chan struct{})
	j := &job{fd: fd, before: before, signals: make(chan os.Signal, 4)}
	signal.Notify(j.signals, syscall.SIGTSTP, syscall.SIGCONT)
	go j.watch(done)
	end := sync.OnceFunc(func() { close(done) })
	return func() {
		end()
		if isForeground(fd) {
			unix.IoctlSetTermios(fd, setModes, before)
		}
	}, nil
}

// job is this program while Ctrl-Z can stop it.
type job struct {
	fd      int
	before  *unix.Termios // the terminal's modes before the program changed them
	ours    *unix.Termios // the settings of the program, while they are not set
	signals chan os.Signal
}

func (j *job) watch(done <-chan struct{}) {
	defer signal.Stop(j.signals)
	for {
		select {
		case s := <-j.signals:
			if s == syscall.SIGTSTP {
				j.stop()
			} else {
				j.resume()
			}
		case <-done:
			return
		}
	}
}

// stop stops the program, as the kernel does: not where it is in the group of the session's
// leader, as in a container, since no shell could continue it.
func (j *job) stop() {
	if session, err := unix.Getsid(0); err != nil || session == unix.Getpgrp() {
		return
	}
	if modes, err := unix.IoctlGetTermios(j.fd, getModes); err == nil && isForeground(j.fd) {
		j.ours = modes
		unix.IoctlSetTermios(j.fd, setModes, j.before)
	}
	syscall.Kill(os.Getpid(), syscall.SIGSTOP)
}

// resume sets the program's modes again when it goes on in the foreground.
func (j *job) resume() {
	if j.ours != nil && isForeground(j.fd) {
		unix.IoctlSetTermios(j.fd, setModes, j.ours)
		j.ours = nil
	}
}

// InForeground reports whether this process may use a terminal: not in the background of a
// shell, if that is known.
func InForeground(f *os.File) bool { return isForeground(int(f.Fd())) }

func isForeground(fd int) bool {
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}
