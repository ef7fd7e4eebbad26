package homes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/store"
)

// sharedLocks are leases. A lease alone keeps nobody from writing: its holder may have been
// frozen, and not know that it has ended. Whoever takes one that was not given back appends
// a mark to the context's log before anything else; as a record is only appended to the
// tail that its writer knows, whatever the former holder appends after that is refused. So the
// tail is asked for as soon as the lease is taken, and what the holder reads ends there: one
// that asked later could see the mark of the next holder, and append behind it.
type sharedLocks struct{ *sharedHome }

// contextLock is the lease of the context of a handle.
type contextLock struct {
	sharedLocks
	context *sharedContext
}

// lock takes a context's lease.
func (h contextLock) lock(ctx context.Context, p parts.Patience) (unlock func(), lost <-chan struct{}, err error) {
	c := h.context
	t, read, err := h.acquire(ctx, c, p)
	var held *store.HeldError
	switch {
	case errors.As(err, &held):
		return nil, nil, &parts.LockedError{Context: c.Name, Holder: holderOf(held.Holder), Expires: held.Expires}
	case ctx.Err() != nil && err != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		return nil, nil, fmt.Errorf("locking context %q: %w", c.Name, err)
	}
	c.forget()
	c.tenure, c.seen = t, t.since
	t.start()
	unlock = func() {
		c.forget()
		t.giveBack(c.touch)
	}
	// What an earlier run could not store belongs to the window that is read next.
	if err := (outbox{&sharedTranscript{sharedContext: c}}).sendUnsent(ctx); err != nil {
		unlock()
		return nil, nil, fmt.Errorf("storing what an earlier run could not: %w", err)
	}
	c.use(read)
	return unlock, t.lost, nil
}

// touch records that the context was used, if the handle is to do that.
func (c *sharedContext) touch(ctx context.Context) {
	if !c.Used {
		return
	}
	c.Used = false
	if err := (sharedRegistry{c.home}).touch(ctx, c.Name); err != nil {
		parts.Report(c.Settings, "context %q: that it was used could not be stored: %v", c.Name, err)
	}
}

// release gives a lease back. If that fails it ends by itself.
func (h *sharedHome) release(ctx context.Context, lease store.Lease) {
	if err := lease.Release(ctx); err != nil && !errors.Is(err, store.ErrLost) {
		parts.Report(h.settings, "chibi could not give the lock back; it ends by itself: %v", err)
	}
}

// acquire takes the lease of the context that has the handle's name then.
func (h sharedLocks) acquire(ctx context.Context, c *sharedContext, p parts.Patience) (*tenure, ahead, error) {
	if c.id == "" || time.Since(c.asked) > freshName || h.isGone(c.id) {
		if _, err := c.make(ctx); err != nil {
			return nil, ahead{}, err
		}
	}
	holder, err := json.Marshal(leaseHolder{h.holderHere(), newID()})
	if err != nil {
		return nil, ahead{}, err
	}
	for try := 1; ; try++ {
		id := c.id
		lease, waited, err := h.take(ctx, id, holder, p)
		if err != nil {
			return nil, ahead{}, err
		}
		if waited || !lease.Fresh() {
			_, err = c.make(ctx)
		}
		var read ahead
		if err == nil && c.id == id {
			read, err = c.readAhead(ctx, func(ctx context.Context) (store.Tail, error) { return h.begin(ctx, id, lease) })
			if err == nil && read.tail.Last == 0 { // it is new, or it was removed before the lease was taken
				_, err = c.make(ctx)
			}
		}
		if err == nil && c.id == id {
			return &tenure{sharedLocks: h, id: id, holder: holder, since: read.tail, lease: lease}, read, nil
		}
		h.release(context.Background(), lease) // it was renamed or removed meanwhile, or cannot be marked, or lost
		if err != nil && (!errors.Is(err, parts.ErrLost) || try == maxTries) {
			return nil, ahead{}, err
		}
	}
}

// begin returns where a context's log ends when its lease was just taken, behind a mark if that
// is needed. The lease may be lost by then, if the process was frozen in between.
func (h sharedLocks) begin(ctx context.Context, id string, lease store.Lease) (seen store.Tail, err error) {
	if lease.Fresh() {
		seen, err = h.engine.Log.Tail(ctx, id)
	} else {
		seen, err = h.mark(ctx, id)
	}
	select {
	case <-lease.Lost():
		return seen, errors.Join(err, parts.ErrLost)
	default:
		return seen, err
	}
}

// longestPoll is the longest pause between two tries to take a lease: with it, whoever waits has
// a chance between two answers of a process that answers mail in a loop.
const longestPoll = 250 * time.Millisecond

// take takes a lease; with endless patience it waits until that is free.
func (h sharedLocks) take(ctx context.Context, id string, holder []byte, p parts.Patience) (lease store.Lease,
	waited bool, err error) {
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, longestPoll) {
		lease, err = h.engine.Leases.Take(ctx, id, holder)
		var held *store.HeldError
		if p != parts.Endless || !errors.As(err, &held) {
			return lease, waited, err
		}
		waited = true
		select {
		case <-ctx.Done():
			return nil, waited, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// mark says in a context's log who uses the context from here on, and returns the new tail.
func (h *sharedHome) mark(ctx context.Context, id string) (tail store.Tail, err error) {
	data, err := json.Marshal(markLine{TakenBy: new(h.holderHere())})
	if err != nil {
		return tail, err
	}
	for range maxTries {
		if tail, err = h.engine.Log.Tail(ctx, id); err != nil {
			break
		}
		tail, err = h.engine.Log.Append(ctx, id, tail, store.Record{ID: newID(), Data: data})
		if !errors.Is(err, store.ErrConflict) {
			break
		}
	}
	return tail, err
}

// Holder returns who has a context's lease.
func (h sharedLocks) Holder(ctx context.Context, name string) (holder parts.Holder, inUse bool) {
	n, err := h.docs.lookup(ctx, name)
	if err != nil || n.ID == "" {
		return parts.Holder{}, false
	}
	held, err := h.engine.Leases.Holder(ctx, n.ID)
	if err != nil || held == nil {
		return parts.Holder{}, false
	}
	return holderOf(held.Holder), true
}

// End marks the log as if the context's lease had been taken, and ends that. The mark comes first: a
// holder that takes the lease again finds it.
func (h sharedLocks) End(ctx context.Context, name string) error {
	n, err := h.docs.lookup(ctx, name)
	if err != nil || n.ID == "" {
		return err
	}
	if _, err := h.mark(ctx, n.ID); err != nil {
		return err
	}
	return h.engine.Leases.Break(ctx, n.ID)
}
