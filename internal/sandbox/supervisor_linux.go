package sandbox

import (
	"errors"
	"net"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// supervisor marks files for confined commands, which Landlock does not confine in that: by a filter
// their calls wait, and the supervisor, which is outside, makes them in their place, on the
// file that it found beneath a place. It never lets a call pass that the caller makes itself, since
// its path may mean another file by then.
type supervisor struct {
	places []place
	own    identity
	users  unix.Stat_t // its user namespace
}

// notification is struct seccomp_notif of the kernel, with room for what later ones add.
type notification struct {
	id           uint64
	thread       uint32
	_            uint32
	number       int32
	architecture uint32
	_            uint64
	args         [6]uint64
	_            [176]byte
}

// response is struct seccomp_notif_resp of the kernel.
type response struct {
	id    uint64
	value int64
	error int32
	_     uint32
	_     [40]byte
}

// supervise begins to supervise a command that is about to start, and returns what it inherits: it
// passes its listener there (see beSupervised). The supervision ends with the last confined process, or
// with this program: calls that nobody answers fail.
func (r Rules) supervise() (theirs *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs = os.NewFile(uintptr(pair[1]), "supervisor")
	ours := os.NewFile(uintptr(pair[0]), "supervised")
	defer ours.Close()
	connection, err := net.FileConn(ours)
	if err != nil {
		theirs.Close()
		return nil, err
	}
	s := &supervisor{}
	if err := s.begin(r); err != nil {
		s.close()
		connection.Close()
		theirs.Close()
		return nil, err
	}
	go s.await(connection.(*net.UnixConn))
	return theirs, nil
}

// begin opens the places, and finds out what this program is.
func (s *supervisor) begin(r Rules) (err error) {
	if s.places, err = r.places(); err != nil {
		return err
	}
	s.look()
	if s.own, err = identityOf("/proc/self/status"); err != nil {
		return err
	}
	return unix.Stat("/proc/self/ns/user", &s.users)
}

func (s *supervisor) close() {
	for _, p := range s.places {
		unix.Close(p.dir)
	}
}

func (s *supervisor) await(connection *net.UnixConn) {
	defer s.close()
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := connection.ReadMsgUnix(make([]byte, 1), oob)
	connection.Close()
	if err != nil {
		return
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(messages) != 1 {
		return
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return
	}
	unix.SetNonblock(fds[0], true) // so that waiting needs no thread
	listener := os.NewFile(uintptr(fds[0]), "calls")
	defer listener.Close()
	s.serve(listener)
}

func (s *supervisor) serve(listener *os.File) {
	raw, err := listener.SyscallConn()
	if err != nil {
		return
	}
	known := calls()
	for arrives(raw) {
		var n notification
		err := command(raw, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n))
		switch {
		case errors.Is(err, unix.ENOENT):
			continue // its caller has ended
		case err != nil:
			return
		}
		err = unix.ENOSYS
		if read := known[uint32(n.number)]; read != nil && n.architecture == nativeArchitecture {
			err = s.mark(raw, &n, read)
		}
		answer := response{id: n.id, error: -int32(number(err))}
		command(raw, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&answer))
		if err == errStuck {
			return
		}
	}
}

// arrives waits until a call has arrived, and reports whether one can.
func arrives(listener syscall.RawConn) (arrived bool) {
	look := func(fd uintptr, timeout int) (done bool) {
		for {
			state := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			n, err := unix.Poll(state, timeout)
			arrived = state[0].Revents&unix.POLLIN != 0
			if arrived || state[0].Revents&unix.POLLHUP != 0 || n == 0 && err == nil {
				return n > 0
			}
			// A listener that is busy when a signal comes reports an error, which says nothing.
		}
	}
	if listener.Read(func(fd uintptr) bool { return look(fd, 0) }) != nil {
		// The same, reported to who waits for all files of this program.
		listener.Control(func(fd uintptr) { look(fd, -1) })
	}
	return arrived
}

// command gives a command to the listener, until no signal interrupts it.
func command(listener syscall.RawConn, what uint, argument unsafe.Pointer) (err error) {
	controlled := listener.Control(func(fd uintptr) {
		errno := unix.EINTR
		for errno == unix.EINTR {
			_, _, errno = unix.Syscall(unix.SYS_IOCTL, fd, uintptr(what), uintptr(argument))
		}
		if errno != 0 {
			err = errno
		}
	})
	return errors.Join(controlled, err)
}

func number(err error) syscall.Errno {
	var errno syscall.Errno
	switch {
	case err == nil:
		return 0
	case errors.As(err, &errno):
		return errno
	}
	return unix.EACCES
}

// mark makes a change in the place of its caller, with the caller's rights.
func (s *supervisor) mark(listener syscall.RawConn, n *notification, read reading) error {
	c := &caller{thread: int(n.thread)}
	defer c.release()
	if err := s.know(c); err != nil {
		return err
	}
	request, err := read(c, n.args)
	if err != nil {
		return err
	}
	file, err := s.target(c, request)
	if err != nil {
		return err
	}
	// The bytes belong to the caller only if it still waits: ids of threads are used again.
	if err := command(listener, unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&n.id)); err != nil {
		return unix.ESRCH
	}
	return s.own.as(c.rights, func() error { return request.act(file) })
}

// know finds out with what rights a caller acts. Where the supervisor has no capabilities,
// everybody in the sandbox is the same user.
func (s *supervisor) know(c *caller) (err error) {
	if s.own.effective == 0 {
		c.rights = s.own
		return nil
	}
	var users unix.Stat_t
	if err = unix.Stat(c.about("ns/user"), &users); err == nil {
		c.rights, err = identityOf(c.about("status"))
	}
	if c.elsewhere = users.Dev != s.users.Dev || users.Ino != s.users.Ino; c.elsewhere {
		c.rights.effective = 0 // rights in its own namespace count for nothing here
	}
	return err
}
