package natsstore

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chibi-host/chibi/store"
)

// lease is a lease that this process holds. Only keep changes it, from begin on, and Release
// when keep has ended.
type lease struct {
	of     *leases
	key    string
	name   string // what the ids of its messages begin with
	writes int    // how many there were
	holder []byte
	fresh  bool

	seq     uint64                    // of what was stored last
	renewed atomic.Pointer[time.Time] // when the last renewal that succeeded began

	stop    context.CancelFunc // ends the renewals
	stopped chan struct{}      // closed when they have ended
	lost    chan struct{}
	giving  sync.Mutex  // held by Release
	gone    atomic.Bool // lost is closed
}

// Fresh reports whether the lease had been released, or never been held.
func (h *lease) Fresh() bool { return h.fresh }

func (h *lease) Lost() <-chan struct{} {
	if store.IsOver(*h.renewed.Load(), h.of.ttl) {
		h.lose()
	}
	return h.lost
}

func (h *lease) message(state string) write {
	h.writes++
	return h.of.message(leaseWrite{h.key, h.name + "-" + strconv.Itoa(h.writes), h.seq, state, h.holder})
}

func (h *lease) isOwn(m message) bool { return strings.HasPrefix(m.header.Get(headerID), h.name+"-") }

// stored notes what was stored by a call that began at start.
func (h *lease) stored(seq uint64, start time.Time) {
	h.seq = seq
	h.renewed.Store(&start)
}

// begin starts the renewals.
func (h *lease) begin() {
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	go h.keep(ctx)
}

// keep renews the lease at each third of its time, until it is released or lost.
func (h *lease) keep(ctx context.Context) {
	defer close(h.stopped)
	for {
		wait := time.NewTimer(time.Until(h.renewed.Load().Add(h.of.ttl / 3)))
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-h.lost:
			wait.Stop()
			return
		case <-wait.C:
		}
		if err := h.renew(ctx); err != nil {
			if ctx.Err() == nil {
				h.lose()
			}
			return
		}
	}
}

// renew renews the lease before it ends. It is one write, however often it is repeated, so
// that one that was stored without an answer is known again. The error is not nil if the
// lease is lost.
func (h *lease) renew(ctx context.Context) error {
	ctx, cancel := context.WithDeadline(ctx, h.renewed.Load().Add(h.of.ttl))
	defer cancel()
	start, w := time.Now(), h.message(leaseHeld)
	return h.of.docs.repeat(ctx, ctx, func(ctx context.Context) error {
		seq, err := h.of.docs.tryPut(ctx, &w)
		if err != nil {
			return err
		}
		h.stored(seq, start)
		return nil
	})
}

// lose reports that the lease is lost.
func (h *lease) lose() {
	if h.gone.CompareAndSwap(false, true) {
		close(h.lost)
	}
}

func (h *lease) Release(ctx context.Context) (err error) {
	defer about(&err, "lease", h.key)
	h.giving.Lock()
	defer h.giving.Unlock()
	h.stop()
	<-h.stopped
	select {
	case <-h.lost:
		return store.ErrLost
	default:
	}
	err = h.giveBack(ctx)
	if errors.Is(err, store.ErrConflict) {
		h.lose()
		return store.ErrLost
	}
	return err
}

// giveBack stores that the lease is free. A renewal that was interrupted may have been
// stored in between.
func (h *lease) giveBack(ctx context.Context) error {
	for {
		_, err := h.of.docs.put(ctx, h.message(leaseFree))
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
		m, err := h.of.newest(ctx, h.key)
		if err != nil {
			return err
		}
		if m.seq <= h.seq || !h.isOwn(m) {
			return store.ErrConflict
		}
		h.seq = m.seq
	}
}
