package process

import (
	"context"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// soon is how long a process is waited for in one loop; then goroutines wait.
	soon = 100 * time.Millisecond
	// soonTick is how often the loop looks whether the run was cancelled.
	soonTick = 10 * time.Millisecond
	// soonOutput is how much output the loop reads.
	soonOutput = 64 << 10
)

// The places in what is polled: standard input, output and error as in pipes, and the process.
const (
	atInput = iota
	atOutput
	atErrors
	atProcess
)

// endsSoon waits for the process in one poll(2) loop on its pipes and its pidfd: most plugins
// answer within a millisecond, of which goroutines at each pipe would take a third to wake
// each other. It returns true if the process has ended and its pipes with it. False means that
// goroutines have to go on from here, because
//
//   - it has not ended after a moment, for example because it was stopped, or its time is
//     over, or the run was cancelled;
//   - it wrote more than a little, more than it may, or to standard error: passing that on
//     may block;
//   - it has ended, and a child of it holds a pipe;
//   - the kernel has no pidfds (before Linux 5.3) or refuses them (seccomp).
//
// While it waits, the loop occupies a thread, for each process that runs at once.
func endsSoon(ctx context.Context, p *child, timeout time.Duration) bool {
	pidfd, err := unix.PidfdOpen(p.pid, 0)
	if err != nil {
		return false
	}
	defer unix.Close(pidfd)
	end := p.began.Add(soon)
	if timeout > 0 {
		end = p.began.Add(min(soon, timeout))
	}
	l := &loop{child: p, buffer: make([]byte, 4<<10)}
	l.fds[atProcess] = unix.PollFd{Fd: int32(pidfd), Events: unix.POLLIN}
	for ctx.Err() == nil && time.Now().Before(end) && l.step() {
		if l.isOver() {
			return true
		}
	}
	return false
}

// loop is the state of endsSoon.
type loop struct {
	child  *child
	fds    [4]unix.PollFd
	buffer []byte
	read   int // bytes of output
}

// isOver reports whether the process and its output have ended.
func (l *loop) isOver() bool {
	return l.child.group != nil && l.child.ends[atOutput] < 0 && l.child.ends[atErrors] < 0
}

// step waits for the next event and handles it. It returns false if goroutines have to
// go on.
func (l *loop) step() bool {
	p, wait := l.child, soonTick
	for at, fd := range p.ends {
		l.fds[at] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	}
	l.fds[atInput].Events = unix.POLLOUT
	if p.group != nil {
		l.fds[atProcess].Fd, l.fds[atInput].Fd, wait = -1, -1, 0
	}
	n, err := unix.Poll(l.fds[:], int(wait/time.Millisecond))
	if err != nil {
		return err == syscall.EINTR
	}
	if n == 0 {
		return p.group == nil
	}
	if l.fds[atInput].Revents != 0 {
		p.ends.write(&p.streams)
	}
	if l.fds[atOutput].Revents != 0 && !l.readOutput() || l.fds[atErrors].Revents != 0 && !l.readErrors() {
		return false
	}
	if l.fds[atProcess].Revents != 0 {
		p.group = endedGroup(p.pid)
	}
	return true
}

// readOutput reads a piece of standard output. It returns false if goroutines have to go on.
func (l *loop) readOutput() bool {
	p := l.child
	n, ok := l.readFrom(atOutput)
	if l.read += n; n > 0 {
		p.streams.takeOutput(l.buffer[:n])
	}
	return ok && !p.streams.full && l.read < soonOutput
}

// readErrors reads a piece of standard error, unless somebody is to see it.
func (l *loop) readErrors() bool {
	p := l.child
	if p.streams.forward.to != nil && l.fds[atErrors].Revents&unix.POLLIN != 0 {
		return false
	}
	n, ok := l.readFrom(atErrors)
	p.streams.tail.add(l.buffer[:n])
	return ok
}

// readFrom reads from a pipe that has something, and closes it at its end.
func (l *loop) readFrom(at int) (n int, ok bool) {
	n, err := syscall.Read(l.child.ends[at], l.buffer)
	switch {
	case err == syscall.EINTR:
		return 0, true
	case err != nil:
		return 0, false
	case n == 0:
		l.child.ends.close(at)
	}
	return n, true
}
