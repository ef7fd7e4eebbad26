package process

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// signalSession signals the processes of a session that are in other groups than its
// leader's: timeout(1) and shells that control jobs make such groups. It reports whether
// there are any. Signal 0 signals nothing.
func signalSession(leader int, s syscall.Signal) (found bool) {
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return false
	}
	for _, p := range processes {
		pid, err := strconv.Atoi(p.Name())
		if err == nil && pid != os.Getpid() && signalMember(pid, leader, s) {
			found = true
		}
	}
	return found
}

// signalMember signals a process if it is in a session, but not in the group of its
// leader. A pidfd keeps the signal from a process that gets the same id meanwhile.
func signalMember(pid, leader int, s syscall.Signal) bool {
	if session, err := unix.Getsid(pid); err != nil || session != leader {
		return false
	}
	pidfd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false
	}
	defer unix.Close(pidfd)
	group, err := unix.Getpgid(pid)
	if session, gone := unix.Getsid(pid); err != nil || gone != nil || session != leader || group == leader {
		return false
	}
	return unix.PidfdSendSignal(pidfd, s, nil, 0) == nil
}
