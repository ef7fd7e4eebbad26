//go:build unix && !linux

package process

import (
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// maxEnvString bounds one string of the environment as on Linux, so that plugins
	// are told the same everywhere.
	maxEnvString = 131_072
	// bytesInPipe asks how many bytes nobody has read yet: FIONREAD.
	bytesInPipe = 0x4004667f
	// getModes and setModes are for the modes of a terminal.
	getModes, setModes = unix.TIOCGETA, unix.TIOCSETA
)

// supervised gives a process a group of its own.
func supervised() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// flushInput forgets what was typed and not read.
func flushInput(tty int) { unix.IoctlSetPointerInt(tty, unix.TIOCFLUSH, unix.TCIFLUSH) }

// unstoppable does what would stop the host where it is in the background of its
// terminal.
func unstoppable(do func()) {
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	do()
}
