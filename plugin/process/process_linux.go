package process

import (
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// maxEnvString bounds one string of the environment: name, "=", value and the
	// zero byte.
	maxEnvString = 131_072
	// bytesInPipe asks how many bytes nobody has read yet.
	bytesInPipe = unix.TIOCINQ
	// getModes and setModes are for the modes of a terminal.
	getModes, setModes = unix.TCGETS, unix.TCSETS
)

// supervised gives a process a group of its own, and a SIGKILL should the host
// die without a chance to end it. The kernel means the thread that started it:
// a goroutine that starts processes must not end while locked to its thread.
func supervised() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// flushInput forgets what was typed and not read.
func flushInput(tty int) { unix.IoctlSetInt(tty, unix.TCFLSH, unix.TCIFLUSH) }

// unstoppable does what would stop the host where it is in the background of its
// terminal. The signal is blocked for one thread: to ignore it would make
// processes ignore it that are started meanwhile.
func unstoppable(do func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var blocked, before unix.Sigset_t
	blocked.Val[0] = 1 << (unix.SIGTTOU - 1)
	if unix.PthreadSigmask(unix.SIG_BLOCK, &blocked, &before) == nil {
		defer unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
	}
	do()
}
