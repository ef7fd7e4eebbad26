package pgtest

import "syscall"

// endsWithParent has the server shut down when this process ends, however it ends.
func endsWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGQUIT}
}
