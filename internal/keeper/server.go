package keeper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/fileid"
)

const (
	maxClients    = 128
	requestWithin = 5 * time.Second
	// lookEvery is how often the files of idle plugins are looked at.
	lookEvery = 10 * time.Second
)

// Options says what a keeper keeps.
type Options struct {
	// Home is the home's directory.
	Home string
	// Keep is how long the keeper waits for its first client, and with Answer for the next one.
	Keep time.Duration
	// Answer, if it is not nil, answers the questions of a [Host], several at once. isLast says that
	// it is the last one. ctx ends with the client.
	Answer func(ctx context.Context, question json.RawMessage) (answer json.RawMessage, isLast bool)
	// Key is what the answers depend on, see [Host].
	Key Key
}

// ErrRuns means that the home has a keeper already.
var ErrRuns = errors.New("a keeper is running already")

// Serve is a keeper: it holds processes until ctx ends, a client stops it, or it has neither
// a process nor a client. Errors are ErrRuns, and why it could not begin.
func Serve(ctx context.Context, o Options) error {
	s, err := listen(o)
	if err != nil {
		return err
	}
	asking, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	go s.accept(asking)
	s.watch(ctx, end)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.last {
		l.Close()
	}
	return nil
}

type server struct {
	Options
	place    Place
	listener *net.UnixListener
	socket   fs.FileInfo
	unlock   func()
	program  fileid.ID
	pool     *pool
	news     chan struct{} // holds an element if the end may have come
	asked    atomic.Int64  // how many questions are being answered

	mu      sync.Mutex
	clients int
	used    bool    // a process was asked for
	closed  bool    // no client is accepted any more
	left    bool    // the place is left to another keeper
	last    []*link // clients that wait for the end
}

// listen takes the place of the keeper of a home.
func listen(o Options) (s *server, err error) {
	if !Offered {
		return nil, errors.New("there are no keepers on this system")
	}
	place, err := PlaceOf(o.Home)
	if err != nil {
		return nil, err
	}
	s = &server{Options: o, place: place, news: make(chan struct{}, 1)}
	s.pool = &pool{changed: s.wake}
	if _, s.program, err = program(); err != nil {
		return nil, err
	}
	s.unlock, err = disk.TryLock(place.Lock)
	if errors.Is(err, disk.ErrLocked) {
		return nil, ErrRuns
	} else if err != nil {
		return nil, err
	}
	if s.listener, err = bind(place); err == nil {
		s.socket, err = os.Lstat(place.Socket)
	}
	if err != nil {
		s.unlock()
		return nil, err
	}
	return s, nil
}

// bind makes the socket. The lock of the place is held: a socket that is there is left of a
// keeper that was killed.
func bind(place Place) (*net.UnixListener, error) {
	err := place.check()
	if _, ok := errors.AsType[*ForeignError](err); ok {
		return nil, err
	}
	if err := os.Remove(place.Socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	// Clients trust a socket by its mode. So it gets its name only when it has the right one.
	unnamed := strings.TrimSuffix(place.Socket, ".sock") + ".new"
	if err := os.Remove(unnamed); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: unnamed, Net: "unix"})
	if err != nil {
		return nil, err
	}
	// Until here others may connect; they are refused, as their user is looked at.
	if err = os.Chmod(unnamed, 0o600); err == nil {
		err = os.Rename(unnamed, place.Socket)
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	l.SetUnlinkOnClose(false) // see close
	return l, nil
}

func (s *server) wake() { wake(s.news) }

// watch waits until the keeper is over, and ends what is left. end ends what is being answered.
func (s *server) watch(ctx context.Context, end func()) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	idle := time.NewTimer(s.Keep)
	defer idle.Stop()
	waited := false
	for !s.isOver(waited) {
		select {
		case <-s.news:
			if waited = waited && s.Answer == nil; !waited {
				idle.Reset(s.Keep)
			}
		case <-look.C:
			s.pool.look()
			if !s.isReachable() {
				s.close()
			}
		case <-idle.C:
			waited = true
		case <-ctx.Done():
			s.close()
			end()
			s.pool.endAll()
			if s.Answer == nil {
				return
			}
			ctx = context.WithoutCancel(ctx) // what is being answered ends first
		}
	}
	s.close()
}

// isReachable reports whether the socket still has its name: the home may have been removed.
func (s *server) isReachable() bool {
	now, err := os.Lstat(s.place.Socket)
	return err == nil && os.SameFile(now, s.socket)
}

// isOver reports whether nobody needs the keeper now, and if so refuses new clients.
func (s *server) isOver(waited bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	isOver := s.clients == 0 && len(s.pool.list()) == 0 && (s.used || waited || s.closed)
	s.closed = s.closed || isOver
	return isOver
}

// close refuses new clients and leaves the place to another keeper.
func (s *server) close() {
	s.mu.Lock()
	left := s.left
	s.closed, s.left = true, true
	s.mu.Unlock()
	if !left {
		if s.isReachable() { // else the home was removed meanwhile, and may have a new one
			os.Remove(s.place.Socket)
		}
		s.listener.Close()
		s.unlock()
	}
	s.pool.close()
	s.wake()
}

func (s *server) accept(ctx context.Context) {
	for {
		conn, err := s.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		} else if err != nil { // too many files are open
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if !s.enter() {
			conn.Close()
			continue
		}
		go func() {
			defer s.leave()
			if l, err := newLink(conn); err != nil || !s.serve(ctx, l) {
				conn.Close()
			}
		}()
	}
}

func (s *server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.clients == maxClients {
		return false
	}
	s.clients++
	return true
}

func (s *server) leave() {
	s.mu.Lock()
	s.clients--
	s.mu.Unlock()
	s.wake()
}

// serve does what a client asks for, and reports whether it stays connected.
func (s *server) serve(ctx context.Context, l *link) (stays bool) {
	l.SetDeadline(time.Now().Add(requestWithin))
	q, err := readRequest(l.in)
	if err != nil {
		return false
	}
	switch {
	case q.Version != version, (q.Op == opLend || q.Op == opAsk) && q.Program != s.program:
		// The next run starts a keeper of its own program.
		s.reply(l, Reply{Error: "it is the keeper of another version of this program, and ends"})
		s.close()
	case q.Op == opStatus:
		status := s.pool.status()
		status.Asked = int(s.asked.Load())
		s.reply(l, Reply{Status: &status})
	case q.Op == opStop:
		return s.stop(l)
	case q.Op == opLend && q.Process != nil:
		s.lend(l, *q.Process)
	case q.Op == opAsk && q.Question != nil && s.Answer != nil:
		s.ask(ctx, l, *q.Question)
	default:
		s.reply(l, Reply{Error: fmt.Sprintf("%.40q is not something that it does", q.Op)})
	}
	return false
}

func (s *server) reply(l *link, r Reply) error {
	r.Version = version
	return writeLine(l, r)
}

// stop ends the keeper. The client stays connected until it has ended, unless processes are
// in use.
func (s *server) stop(l *link) (stays bool) {
	s.close()
	s.pool.wait()
	status := s.pool.status()
	err := s.reply(l, Reply{Status: &status})
	if err != nil || status.Busy() > 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = append(s.last, l)
	return true
}

func (s *server) lend(l *link, w Wanted) {
	s.mu.Lock()
	s.used = true
	s.mu.Unlock()
	loan := &loan{link: l, news: make(chan struct{}, 1)}
	c, wasThere, err := s.pool.take(w, loan)
	if err != nil {
		s.reply(l, Reply{Error: err.Error()})
		return
	}
	var isKept bool
	if s.reply(l, Reply{WasThere: wasThere}) == nil {
		l.SetDeadline(time.Time{})
		isKept = loan.relay(c)
	} else { // the client did not wait
		isKept = loan.untouched()
	}
	if !isKept || !s.pool.give(c) {
		c.end()
	}
}
