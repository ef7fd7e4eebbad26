package natsstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/store"
)

// leases keeps leases: documents of which the server removes the one of a holder that does
// not renew it, and leaves a mark in its place.
type leases struct {
	docs documents
	ttl  time.Duration
	now  func() time.Time
}

// The states of a lease, in its header.
const (
	leaseHeld   = "held"
	leaseFree   = "free"
	leaseBroken = "broken"
)

const (
	// longestLease bounds the time to live that a lease may say it has.
	longestLease = 24 * time.Hour
	// maxRounds bounds how often a change of a lease is tried again because another one came
	// first.
	maxRounds = 100
)

// leaseTime is a time to live as the server takes it: whole seconds, at least one.
func leaseTime(d time.Duration) time.Duration {
	return max(time.Second, (d + time.Second - 1).Truncate(time.Second))
}

// Take looks who has the lease and writes after what it has seen, until nobody else does
// so in between.
func (l *leases) Take(ctx context.Context, key string, holder []byte) (_ store.Lease, err error) {
	if err := store.CheckKey(key); err != nil {
		return nil, err
	}
	defer about(&err, "lease", key)
	if len(holder) > store.MaxHolder {
		return nil, fmt.Errorf("the holder's text has more than %d bytes: %w", store.MaxHolder, store.ErrTooLarge)
	}
	held := &lease{of: l, key: key, name: newID(), holder: holder, stopped: make(chan struct{}), lost: make(chan struct{})}
	for range maxRounds {
		before, err := l.newest(ctx, key)
		if err != nil {
			return nil, err
		}
		if isHeld(before) {
			other, err := l.heldBy(ctx, before)
			if err != nil {
				return nil, err
			}
			return nil, other
		}
		held.seq, held.fresh = before.seq, before.seq == 0 || before.header.Get(headerLease) == leaseFree
		start := time.Now()
		seq, err := l.docs.put(ctx, held.message(leaseHeld))
		if errors.Is(err, store.ErrConflict) {
			continue
		}
		if err != nil {
			return nil, err
		}
		held.stored(seq, start)
		held.begin()
		return held, nil
	}
	return nil, &passing{"others take it and give it back all the time"}
}

// newest returns what is known of a lease; sequence 0: nothing.
func (l *leases) newest(ctx context.Context, key string) (message, error) {
	m, err := l.docs.newestRetried(ctx, l.docs.layout.doc(leasePrefix+key))
	if errors.Is(err, store.ErrNotFound) {
		return message{}, nil
	}
	return m, err
}

// isHeld reports whether a lease is held. A message of another program holds it too: a
// person decides what becomes of it.
func isHeld(m message) bool {
	if m.seq == 0 || m.isRemoved() {
		return false
	}
	state := m.header.Get(headerLease)
	return state != leaseFree && state != leaseBroken
}

// heldBy says who holds a lease and until when, by the leader's clock.
func (l *leases) heldBy(ctx context.Context, m message) (*store.HeldError, error) {
	server, err := l.docs.time(ctx)
	if err != nil {
		return nil, err
	}
	held := l.held(m, server)
	return &held, nil
}

func (l *leases) held(m message, server time.Time) store.HeldError {
	held := store.HeldError{Holder: m.data[:min(len(m.data), store.MaxHolder)]}
	if ttl, ok := timeToLive(m.header.Get(headerTTL)); ok {
		held.Expires = l.now().Add(m.time.Add(ttl).Sub(server))
	}
	return held
}

// timeToLive reads the header of a message that ends: "30s" or "30".
func timeToLive(text string) (time.Duration, bool) {
	ttl, err := time.ParseDuration(text)
	if err != nil {
		seconds, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return 0, false
		}
		ttl = time.Duration(seconds) * time.Second
	}
	return ttl, ttl > 0 && ttl <= longestLease
}

func (l *leases) Held(ctx context.Context, prefix string, each func(string, store.HeldError) bool) (err error) {
	if err := store.CheckPrefix(prefix); err != nil {
		return err
	}
	defer about(&err, "leases", prefix)
	found, err := l.docs.all(ctx, leasePrefix+prefix)
	if err != nil {
		return err
	}
	var server time.Time
	for key, m := range found {
		if !isHeld(m) {
			continue
		}
		if server.IsZero() {
			if server, err = l.docs.time(ctx); err != nil {
				return err
			}
		}
		if !each(strings.TrimPrefix(key, leasePrefix), l.held(m, server)) {
			return nil
		}
	}
	return nil
}

// Holder returns who holds a lease.
func (l *leases) Holder(ctx context.Context, key string) (_ *store.HeldError, err error) {
	if err := store.CheckKey(key); err != nil {
		return nil, err
	}
	defer about(&err, "lease", key)
	m, err := l.newest(ctx, key)
	if err != nil || !isHeld(m) {
		return nil, err
	}
	return l.heldBy(ctx, m)
}

func (l *leases) Break(ctx context.Context, key string) (err error) {
	if err := store.CheckKey(key); err != nil {
		return err
	}
	defer about(&err, "lease", key)
	err = store.ErrConflict
	for n := 0; n < maxRounds && errors.Is(err, store.ErrConflict); n++ { // it may be renewed in between
		var m message
		if m, err = l.newest(ctx, key); err == nil && isHeld(m) {
			_, err = l.docs.put(ctx, l.message(leaseWrite{key: key, id: newID(), after: m.seq, state: leaseBroken}))
		}
	}
	return err
}

type leaseWrite struct {
	key, id string
	after   uint64
	state   string
	holder  []byte
}

// message returns what is stored. Only the message of a holder ends by itself.
func (l *leases) message(c leaseWrite) write {
	w := write{
		subject: l.docs.layout.doc(leasePrefix + c.key), after: c.after, id: c.id,
		header: nats.Header{headerLease: {c.state}}, data: []byte(c.state),
	}
	if c.state == leaseHeld {
		w.header[headerTTL] = []string{l.ttl.String()}
		w.data = c.holder
	}
	return w
}
