package storetest

import (
	"bytes"
	"context"
	"github.com/chibi-host/chibi/store"
	"maps"
	"time"
)

// memoryLeases keeps leases in memory.
type memoryLeases struct{ *memoryEngine }

// memoryHeld is a lease that was not released: held until its end, and free but not fresh
// from then on.
type memoryHeld struct {
	lease   *memoryLease // nil: broken
	holder  []byte
	expires time.Time // by the store's clock
}

// held describes a lease for another machine, by that machine's clock.
func (c memoryLeases) held(h memoryHeld) store.HeldError {
	left := h.expires.Sub(c.memory.now())
	return store.HeldError{Holder: bytes.Clone(h.holder), Expires: c.options.Now().Add(left).Round(0)}
}

// isHeld reports whether a lease has not ended. The caller holds mu.
func (m *Memory) isHeld(h memoryHeld) bool { return h.lease != nil && m.now().Before(h.expires) }

// Take takes a lease.
func (c memoryLeases) Take(ctx context.Context, key string, holder []byte) (store.Lease, error) {
	l, err := c.take(ctx, key, holder)
	if err != nil {
		return nil, about("lease", key, err)
	}
	return l, nil
}

func (c memoryLeases) take(ctx context.Context, key string, holder []byte) (*memoryLease, error) {
	if err := store.CheckKey(key); err != nil {
		return nil, err
	}
	if len(holder) > store.MaxHolder {
		return nil, store.ErrTooLarge
	}
	end, err := c.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	m := c.memory
	old, left := m.leases[key]
	if m.isHeld(old) {
		held := c.held(old)
		return nil, &held
	}
	l := &memoryLease{engine: c.memoryEngine, key: key, fresh: !left, lost: make(chan struct{})}
	m.leases[key] = memoryHeld{l, bytes.Clone(holder), m.now().Add(c.options.Lease)}
	l.extend()
	return l, nil
}

// Held calls each with the leases that are held and whose key begins with prefix.
func (c memoryLeases) Held(ctx context.Context, prefix string, each func(string, store.HeldError) bool) error {
	found, err := c.list(ctx, prefix)
	if err != nil {
		return about("leases", prefix, err)
	}
	for key, held := range found {
		if !each(key, held) {
			break
		}
	}
	return nil
}

func (c memoryLeases) list(ctx context.Context, prefix string) (map[string]store.HeldError, error) {
	found := map[string]store.HeldError{}
	err := c.below(ctx, prefix, maps.Keys(c.memory.leases), func(key string) {
		if h := c.memory.leases[key]; c.memory.isHeld(h) {
			found[key] = c.held(h)
		}
	})
	return found, err
}

// Holder returns who holds a lease.
func (c memoryLeases) Holder(ctx context.Context, key string) (*store.HeldError, error) {
	if err := store.CheckKey(key); err != nil {
		return nil, about("lease", key, err)
	}
	found, err := c.list(ctx, key)
	if err != nil {
		return nil, about("lease", key, err)
	}
	if held, isHeld := found[key]; isHeld {
		return &held, nil
	}
	return nil, nil
}

// Break ends a lease.
func (c memoryLeases) Break(ctx context.Context, key string) error {
	return about("lease", key, c.breakIt(ctx, key))
}

func (c memoryLeases) breakIt(ctx context.Context, key string) error {
	if err := store.CheckKey(key); err != nil {
		return err
	}
	end, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if _, left := c.memory.leases[key]; left {
		c.memory.leases[key] = memoryHeld{}
	}
	return nil
}

// memoryLease is a lease that an engine holds. Its fields are guarded by the memory's mu.
type memoryLease struct {
	engine *memoryEngine
	key    string
	fresh  bool
	lost   chan struct{}
	timer  *time.Timer // of the next renewal
	ended  bool        // lost or released
	until  time.Time   // when it is lost unless it is renewed, by the store's clock
}

// Fresh reports whether the lease had been released when it was taken.
func (l *memoryLease) Fresh() bool { return l.fresh }

// Lost is closed when the lease is lost.
func (l *memoryLease) Lost() <-chan struct{} {
	m := l.engine.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if !l.ended && !m.now().Before(l.until) {
		l.lose()
	}
	return l.lost
}

// extend makes the lease last from now on. The caller holds mu.
func (l *memoryLease) extend() {
	m, lease := l.engine.memory, l.engine.options.Lease
	h := m.leases[l.key]
	l.until = m.now().Add(lease)
	h.expires = l.until
	m.leases[l.key] = h
	l.timer = time.AfterFunc(lease/3, l.renew)
}

// renew renews the lease or finds that it is lost. A machine that is closed renews
// nothing, and knows that the lease is lost when its time is over.
func (l *memoryLease) renew() {
	m := l.engine.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if l.ended {
		return
	}
	h := m.leases[l.key]
	select {
	case <-l.engine.closed:
		if left := l.until.Sub(m.now()); left > 0 {
			l.timer = time.AfterFunc(left, l.renew)
			return
		}
		l.lose()
	default:
		if h.lease != l || !m.isHeld(h) {
			l.lose()
			return
		}
		l.extend()
	}
}

// lose ends the lease as lost. The caller holds mu.
func (l *memoryLease) lose() {
	l.ended = true
	l.timer.Stop()
	close(l.lost)
}

// Release gives the lease back.
func (l *memoryLease) Release(ctx context.Context) error {
	return about("lease", l.key, l.release(ctx))
}

func (l *memoryLease) release(ctx context.Context) error {
	select {
	case <-l.lost:
		return store.ErrLost
	default:
	}
	l.stop()
	end, err := l.engine.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	m := l.engine.memory
	if h := m.leases[l.key]; h.lease != l || !m.isHeld(h) {
		return store.ErrLost
	}
	delete(m.leases, l.key)
	return nil
}

// stop stops renewing.
func (l *memoryLease) stop() {
	l.engine.memory.mu.Lock()
	defer l.engine.memory.mu.Unlock()
	l.ended = true
	l.timer.Stop()
}
