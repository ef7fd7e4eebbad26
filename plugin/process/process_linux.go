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
	// bytesInPipe is the request for the number of unread bytes.
	bytesInPipe = unix.TIOCINQ
	// getModes and setModes are the requests for the modes of a terminal.
	getModes, setModes = unix.TCGETS, unix.TCSETS
)

// supervised gives a process its own process group, and a SIGKILL if the host dies
// without ending it. The kernel sends the signal when the thread that started the process
// ends: a goroutine that starts processes must not end while locked to its thread.
func supervised() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// hasEnded reports whether a child has ended that nobody has waited for; also if somebody just has.
func hasEnded(pid int) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == syscall.ECHILD || err == nil && info.Signo != 0
}

// flushInput discards input that was typed and not read.
func flushInput(tty int) { unix.IoctlSetInt(tty, unix.TCFLSH, unix.TCIFLUSH) }

// unstoppable runs do with SIGTTOU blocked, which would stop the host in the background
// of its terminal. It is blocked for one thread, not ignored, because processes that are
// started at the same time would inherit an ignored signal.
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
