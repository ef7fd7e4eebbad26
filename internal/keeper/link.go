package keeper

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"
)

// link is a connection between a client and a keeper of the same user.
type link struct {
	*net.UnixConn
	in *bufio.Reader
}

// newLink makes a link of a connection whose other end belongs to this user.
func newLink(conn *net.UnixConn) (*link, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	uid, asked := 0, error(nil)
	if err := raw.Control(func(fd uintptr) { uid, asked = peer(int(fd)) }); err != nil {
		return nil, err
	}
	switch {
	case asked != nil:
		return nil, asked
	case uid != os.Geteuid():
		return nil, fmt.Errorf("it belongs to another user (%d)", uid)
	}
	return &link{conn, bufio.NewReaderSize(conn, maxFrame)}, nil
}

// dial connects to the keeper at a place, until the deadline, which stays set.
func dial(place Place, until time.Time) (*link, error) {
	if err := place.check(); err != nil {
		return nil, err
	}
	d := net.Dialer{Deadline: until}
	conn, err := d.Dial("unix", place.Socket)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED): // the keeper is gone, and its socket is left
		return nil, ErrNone
	case err != nil:
		return nil, err
	}
	l, err := newLink(conn.(*net.UnixConn))
	if err != nil {
		conn.Close()
		return nil, &ForeignError{place.Socket, "is not that of this user's keeper: " + err.Error()}
	}
	return l, l.SetDeadline(until)
}

func (l *link) ask(q Request) (Reply, error) {
	q.Version = version
	if err := writeLine(l, q); err != nil {
		return Reply{}, err
	}
	r, err := readReply(l.in)
	if err == nil && r.Error != "" {
		err = errors.New(r.Error)
	}
	return r, err
}
