package keeper

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/process"
)

// patience is how long a keeper may take to end a process: its runner's grace period, and
// then some.
const patience = 6 * time.Second

type remote struct {
	link *link
	wait time.Duration // for the keeper to have the process back

	mu       sync.Mutex
	free     int  // how much of the window is free
	late     bool // a deadline for writing has passed
	over     bool // nothing more comes from the keeper
	released bool
	news     chan struct{} // closed and replaced when one of these has changed
	sending  sync.Mutex    // held while a frame is written
	buffer   []byte        // the frame; used while sending
}

var _ process.Remote = (*remote)(nil)

// Write writes to the standard input of the process, as much at once as the window has room
// for.
func (r *remote) Write(data []byte) (n int, err error) {
	for n < len(data) {
		size, err := r.reserve(min(len(data)-n, maxFrame))
		if err != nil {
			return n, err
		}
		written, err := r.send(frameInput, data[n:n+size])
		if n += max(0, written-frameHead); err != nil {
			if written > 0 { // the keeper can make nothing of what comes after a part of a frame
				n = max(n, 1)
			}
			return n, err
		}
	}
	return n, nil
}

func (r *remote) reserve(most int) (size int, err error) {
	for {
		r.mu.Lock()
		size = min(most, r.free)
		isLate, news := r.late || r.over, r.news
		if !isLate {
			r.free -= size
		}
		r.mu.Unlock()
		switch {
		case isLate:
			return 0, os.ErrDeadlineExceeded
		case size > 0:
			return size, nil
		}
		<-news
	}
}

func (r *remote) change(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do()
	close(r.news)
	r.news = make(chan struct{})
}

func (r *remote) send(kind byte, data []byte) (written int, err error) {
	r.sending.Lock()
	defer r.sending.Unlock()
	r.buffer = appendFrame(r.buffer[:0], kind, data)
	return r.link.UnixConn.Write(r.buffer)
}

// SetWriteDeadline ends a Write if the deadline has passed.
func (r *remote) SetWriteDeadline(t time.Time) error {
	r.change(func() { r.late = !t.IsZero() && !time.Now().Before(t) })
	return r.link.SetWriteDeadline(t)
}

func (r *remote) Close() error {
	_, err := r.send(frameClose, nil)
	return err
}

// End has the process ended with its group. If the keeper does not say that it has ended,
// the end of the connection must do.
func (r *remote) End() {
	r.link.SetDeadline(time.Now().Add(patience))
	if _, err := r.send(frameEnd, nil); err != nil {
		r.link.Close()
	}
}

// Release gives the process back, and has Follow wait a moment for the keeper to have it.
func (r *remote) Release(written int64) bool {
	r.change(func() { r.released = true })
	r.link.SetDeadline(time.Now().Add(r.wait))
	_, err := r.send(frameRelease, binary.BigEndian.AppendUint64(nil, uint64(written)))
	if err != nil {
		r.link.Close()
	}
	return err == nil
}

func (r *remote) Follow(stdout, stderr func([]byte), finish func()) (process.Outcome, error) {
	defer r.link.Close()
	defer r.change(func() { r.over = true })
	buf := make([]byte, maxFrame)
	for {
		kind, data, err := readFrame(r.link.in, buf)
		if err != nil {
			return process.Outcome{Exit: -1}, r.lost(err)
		}
		switch kind {
		case frameOutput:
			stdout(data)
		case frameErrors:
			stderr(data)
		case frameDone:
			finish()
		case frameAck:
			if len(data) != 4 || !r.acknowledge(binary.BigEndian.Uint32(data)) {
				return process.Outcome{Exit: -1}, wrong("acknowledged what was not written")
			}
		case frameExit:
			return readExit(data)
		default:
			return process.Outcome{Exit: -1}, wrong(fmt.Sprintf("wrote a frame of the kind %q", kind))
		}
	}
}

// acknowledge frees a part of the window, unless it is free.
func (r *remote) acknowledge(n uint32) (ok bool) {
	r.change(func() {
		if ok = int64(n) <= int64(window-r.free); ok {
			r.free += int(n)
		}
	})
	return ok
}

func (r *remote) lost(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.released:
		return nil
	case err == errFrame:
		return wrong(err.Error())
	}
	return fmt.Errorf("%w: its keeper is gone", process.ErrClosed)
}

func wrong(what string) error { return fmt.Errorf("%w: its keeper %s", process.ErrClosed, what) }

func readExit(data []byte) (process.Outcome, error) {
	e := ended{Exit: -1}
	if err := strictjson.Decode(data, &e); err != nil {
		return process.Outcome{Exit: -1}, wrong("did not say how it ended")
	}
	if e.Asked {
		return process.Outcome{Exit: -1}, process.ErrNoTerminal
	}
	return process.Outcome{Exit: e.Exit, Signal: e.Signal}, nil
}
