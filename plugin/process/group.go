//go:build unix

package process

import (
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// group is a process with its process group, of which it is the leader.
type group struct {
	process *os.Process         // nil: it had ended before anybody watched
	leader  int                 // its id, and the id of the group
	session bool                // it is the leader of a session too
	exited  chan struct{}       // closed when the process itself has ended
	stops   chan syscall.Signal // the signal that stopped it
	status  syscall.WaitStatus  // how it ended, once exited is closed
	known   bool                // the kernel has told the status
}

// newGroup begins to watch a process that has not been waited for.
func newGroup(pid int) *group {
	g := &group{leader: pid, exited: make(chan struct{}), stops: make(chan syscall.Signal, 1)}
	g.process, _ = os.FindProcess(pid) // never fails on Unix
	go g.watch()
	return g
}

// endedGroup is the group of a process that has ended and has not been waited for.
func endedGroup(pid int) *group {
	g := &group{leader: pid, exited: make(chan struct{})}
	g.watch()
	return g
}

// watch waits for the process to stop, which os/exec does not report, and to end. It is
// not one of streams.copies, so that nothing waits for a process that SIGKILL does not end.
func (g *group) watch() {
	for {
		var status syscall.WaitStatus
		switch _, err := syscall.Wait4(g.leader, &status, syscall.WUNTRACED, nil); {
		case err == syscall.EINTR:
		case err == nil && status.Stopped():
			select {
			case g.stops <- status.StopSignal():
			default: // one stop is already pending
			}
		default:
			g.status, g.known = status, err == nil
			close(g.exited)
			return
		}
	}
}

// signal signals the group, the process itself if it has left the group, and what else is in
// its session. The ids of a group and of a session are not reused while they have a
// member; without a member, nothing is signalled.
func (g *group) signal(s syscall.Signal) {
	syscall.Kill(-g.leader, s)
	if g.session {
		signalSession(g.leader, s)
	}
	if !g.hasExited() && g.current() != g.leader {
		g.process.Signal(s)
	}
}

// hasMembers reports whether a process of the group, or of its session, is left.
func (g *group) hasMembers() bool {
	return syscall.Kill(-g.leader, 0) == nil || g.session && signalSession(g.leader, 0)
}

// endRest ends what is left of the group and its session when the process itself has ended:
// first with SIGTERM, a moment later with SIGKILL.
func (g *group) endRest() {
	if !g.hasMembers() {
		return
	}
	g.signal(syscall.SIGTERM)
	g.signal(syscall.SIGCONT)
	for end := time.Now().Add(drainDelay); g.hasMembers() && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	g.signal(syscall.SIGKILL)
}

// EndLeft ends the processes that are left in the sessions which [Outcome.Left] names: first with
// SIGTERM, a moment later with SIGKILL. If the id belongs to a different process by now, nothing
// is left. Outside of Linux, only the groups of the processes are ended.
func EndLeft(pids ...int) {
	var all sync.WaitGroup
	for _, pid := range pids {
		if unix.Kill(pid, 0) == nil {
			continue
		}
		exited := make(chan struct{})
		close(exited)
		all.Go((&group{leader: pid, session: true, exited: exited}).endRest)
	}
	all.Wait()
}

// current returns the process's group now: its own, unless the process has changed it.
func (g *group) current() int {
	if now, err := unix.Getpgid(g.leader); err == nil {
		return now
	}
	return g.leader
}

// hasExited reports whether the process has ended.
func (g *group) hasExited() bool { return isClosed(g.exited) }

// hasEnded reports whether the process itself has ended, also if nobody has noticed it yet.
func (g *group) hasEnded() bool { return g.hasExited() || hasEnded(g.leader) }
