//go:build unix && !linux

package process

import (
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// maxEnvString bounds one string of the environment as on Linux, so that plugins
	// get the same variables everywhere.
	maxEnvString = 131_072
	// bytesInPipe is the request for the number of unread bytes: FIONREAD.
	bytesInPipe = 0x4004667f
	// getModes and setModes are the requests for the modes of a terminal.
	getModes, setModes = unix.TIOCGETA, unix.TIOCSETA
)

// supervised gives a process its own process group.
func supervised() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// hasEnded reports false: only waiting tells whether a child has ended.
func hasEnded(int) bool { return false }

// flushInput discards input that was typed and not read.
func flushInput(tty int) { unix.IoctlSetPointerInt(tty, unix.TIOCFLUSH, unix.TCIFLUSH) }

// unstoppable runs do with SIGTTOU ignored, which would stop the host in the background
// of its terminal.
func unstoppable(do func()) {
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	do()
}
