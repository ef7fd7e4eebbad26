package plugin

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// bytesInPipe asks how many bytes nobody has read yet.
const bytesInPipe = unix.TIOCINQ

// supervised gives a process a group of its own, and a SIGKILL should the host
// die without a chance to end it. The kernel means the thread that started it:
// a goroutine that starts processes must not end while locked to its thread.
func supervised() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
