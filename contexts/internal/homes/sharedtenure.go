package homes

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/store"
)

// tenure is the time for which this process has a context's lock. A lease ends while its machine
// sleeps or is cut off; then another one is taken, unless another process has taken the context
// meanwhile: it has left a mark in the log, as the lease had not been given back. No mark is needed
// against this process itself.
type tenure struct {
	sharedLocks
	id     string
	holder []byte      // what the leases say of their holder; the leases of no other lock say the same
	since  store.Tail  // where the log ended when the first lease was taken
	lease  store.Lease // nil: another process has the context; only keep changes it

	lost    chan struct{}
	stop    context.CancelFunc
	stopped chan struct{}
}

// leaseHolder is what a lease says of its holder.
type leaseHolder struct {
	parts.Holder
	// ID tells two locks of one process apart.
	ID string `json:"id"`
}

// start goes on taking leases until the lock is given back or lost.
func (t *tenure) start() {
	ctx, stop := context.WithCancel(context.Background())
	t.lost, t.stop, t.stopped = make(chan struct{}), stop, make(chan struct{})
	go t.keep(ctx)
}

// giveBack ends the tenure, and calls something else meanwhile.
func (t *tenure) giveBack(also func(context.Context)) {
	t.stop()
	<-t.stopped
	store.Together(context.Background(), also, func(ctx context.Context) {
		if t.lease != nil {
			t.release(ctx, t.lease)
		}
	})
}

func (t *tenure) keep(ctx context.Context) {
	defer close(t.stopped)
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.lease.Lost():
		}
		err := t.again(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			t.release(context.Background(), t.lease)
			t.lease = nil
			close(t.lost)
			return
		}
	}
}

// again takes a lease in the place of the one that ended. It tries until ctx ends, as whoever is cut
// off cannot know for how long. The error is not nil if the lock is lost.
func (t *tenure) again(ctx context.Context) error {
	err := t.insist(ctx, func() error {
		lease, err := t.engine.Leases.Take(ctx, t.id, t.holder)
		if err != nil {
			return err
		}
		t.lease = lease
		return nil
	})
	if err != nil {
		return err
	}
	return t.insist(ctx, func() error { return t.checkUnmarked(ctx) })
}

// insist repeats what the store does not answer. The lease may also be held by this process: a
// renewal that got no answer was stored, or this machine believed too early that the lease had ended.
func (t *tenure) insist(ctx context.Context, do func() error) error {
	for {
		err := do()
		var held *store.HeldError
		isOwn := errors.As(err, &held) && bytes.Equal(held.Holder, t.holder)
		if !isOwn && !errors.Is(err, store.ErrUnavailable) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(longestPoll):
		}
	}
}

// checkUnmarked returns ErrLost if another process has marked the log, or removed it.
func (t *tenure) checkUnmarked(ctx context.Context) error {
	tail, err := t.engine.Log.Tail(ctx, t.id)
	if err != nil || tail == t.since {
		return err
	}
	isMarked := tail.Last < t.since.Last
	if !isMarked {
		later := store.Range{First: t.since.Last + 1, Last: tail.Last}
		err = t.engine.Log.Read(ctx, t.id, later, func(r store.Record) bool {
			isMarked = isMarkLine(r.Data)
			return !isMarked
		})
	}
	if isMarked {
		return parts.ErrLost
	}
	return err
}
