//go:build unix

package plugin

import (
	"context"
	"fmt"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// takeTerminal puts the process's group in the foreground of the terminal while
// it runs: a background group may not read from it.
func (p *process) takeTerminal(cmd *exec.Cmd) {
	fd := int(p.exec.Terminal.Fd())
	if group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err != nil || group != unix.Getpgrp() {
		return // no terminal, or not the host's to give
	}
	cmd.SysProcAttr.Foreground = true
	cmd.SysProcAttr.Ctty = fd
	p.foreground = true
	p.cleanup = append(p.cleanup, func() {
		// The host is in the background now, where taking the terminal
		// back would stop it.
		signal.Ignore(syscall.SIGTTOU)
		unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, unix.Getpgrp())
		signal.Reset(syscall.SIGTTOU)
	})
}

// interruption is the error of a process at the terminal that was ended by
// Ctrl-C: the host did not get that signal, but its person meant it too.
func (p *process) interruption() error {
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if p.foreground && ok && status.Signaled() && status.Signal() == syscall.SIGINT {
		return fmt.Errorf("interrupted: %w", context.Canceled)
	}
	return nil
}
