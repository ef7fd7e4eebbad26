package pgstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/chibi-host/chibi/store"
)

// leases keeps leases in the table lease, by the server's clock. A row that has not been
// removed by whoever held the lease says that it was not released.
type leases struct{ *db }

// left is how many microseconds a lease lasts; one that somebody has made endless, 100 years.
const left = `(extract(epoch from
	least(greatest(expires, clock_timestamp()), clock_timestamp() + interval '100 years') - clock_timestamp()) *
		1000000)::bigint`

func (l leases) Take(ctx context.Context, key string, holder []byte) (_ store.Lease, err error) {
	defer about(&err, "lease", key)
	if err := store.CheckKey(key); err != nil {
		return nil, err
	}
	if len(holder) > store.MaxHolder {
		return nil, fmt.Errorf("%w: %d bytes of holder, at most %d", store.ErrTooLarge, len(holder), store.MaxHolder)
	}
	token := rand.Text()
	for {
		a, err := l.run(ctx, `with taken as (
				insert into {s}.lease (key, token, fresh, holder, expires)
				values ($1, $2, true, $3, clock_timestamp() + $4 * interval '1 microsecond')
				on conflict (key) do update set token = $2, holder = $3, expires = excluded.expires,
					fresh = lease.token = $2 and lease.fresh
				where lease.expires <= clock_timestamp() or lease.token = $2
				returning fresh
			)
			select true, fresh, ''::bytea, 0::bigint from taken
			union all
			select false, false, substring(holder for $5::int), `+left+`
			from {s}.lease where key = $1 and not exists (select from taken)`,
			text(key), text(token), data(holder), number(l.options.Lease.Microseconds()), number(store.MaxHolder))
		if err != nil {
			return nil, err
		}
		r, ok := a.one()
		if !ok {
			continue // somebody has taken it since this statement began, so the next one sees whom
		}
		taken, fresh, other, left := r.bool(), r.bool(), r.column(), r.int()
		switch {
		case r.err != nil:
			return nil, r.err
		case taken:
			return l.hold(key, token, fresh, a.began), nil
		}
		return nil, &store.HeldError{Holder: other, Expires: l.expiry(left)}
	}
}

// expiry is a time by this machine's clock, from what is left by the server's in microseconds.
func (l leases) expiry(left int64) time.Time {
	return l.options.Now().Add(time.Duration(max(left, 0)) * time.Microsecond).Round(0)
}

// Held calls each with the leases that are held and whose key begins with prefix.
func (l leases) Held(ctx context.Context, prefix string, each func(string, store.HeldError) bool) (err error) {
	defer about(&err, "leases", prefix)
	if err := store.CheckPrefix(prefix); err != nil {
		return err
	}
	after, before := keysFrom(prefix)
	for {
		a, err := l.run(ctx, `select key, substring(holder for $3::int), `+left+`
			from {s}.lease where key > $1 and key < $2 and expires > clock_timestamp()
			order by key limit $4`, after, before, number(store.MaxHolder), number(heldRows))
		if err != nil {
			return err
		}
		for _, columns := range a.rows {
			r := row{columns: columns}
			key, holder, left := r.text(), r.column(), r.int()
			after = text(key)
			if r.err != nil || !each(key, store.HeldError{Holder: holder, Expires: l.expiry(left)}) {
				return r.err
			}
		}
		if len(a.rows) < heldRows {
			return nil
		}
	}
}

// Holder returns who holds a lease.
func (l leases) Holder(ctx context.Context, key string) (_ *store.HeldError, err error) {
	defer about(&err, "lease", key)
	if err := store.CheckKey(key); err != nil {
		return nil, err
	}
	a, err := l.run(ctx, `select substring(holder for $2::int), `+left+`
		from {s}.lease where key = $1 and expires > clock_timestamp()`, text(key), number(store.MaxHolder))
	if err != nil {
		return nil, err
	}
	r, ok := a.one()
	if !ok {
		return nil, nil
	}
	holder, left := r.column(), r.int()
	return &store.HeldError{Holder: holder, Expires: l.expiry(left)}, r.err
}

// heldRows is how many leases one round trip lists.
const heldRows = 4096

// Break ends a lease, whoever holds it. The row stays: whoever takes the lease next finds that
// it was not released.
func (l leases) Break(ctx context.Context, key string) (err error) {
	defer about(&err, "lease", key)
	if err := store.CheckKey(key); err != nil {
		return err
	}
	return l.removed(ctx, `update {s}.lease set token = '', expires = '-infinity' where key = $1`,
		`select key from {s}.lease where key = $1 and token <> ''`, text(key))
}

type lease struct {
	leases
	key, token string
	fresh      bool
	lost       chan struct{}
	ended      chan struct{} // closed when renewing is to stop

	mu      sync.Mutex
	isEnded bool
	renewed time.Time // when the last renewal that succeeded began
}

// hold begins to renew a lease that was taken by a statement that began at a time.
func (l leases) hold(key, token string, fresh bool, began time.Time) *lease {
	h := &lease{leases: l, key: key, token: token, fresh: fresh, lost: make(chan struct{}), ended: make(chan struct{}),
		renewed: began}
	go h.keep(began)
	return h
}

// Fresh reports whether the lease had been released when it was taken.
func (h *lease) Fresh() bool { return h.fresh }

func (h *lease) Lost() <-chan struct{} {
	h.mu.Lock()
	isOver := store.IsOver(h.renewed, h.options.Lease)
	h.mu.Unlock()
	if isOver {
		h.lose()
	}
	return h.lost
}

// keep renews the lease until it is released or lost. Its time counts from the beginning of
// the last renewal that succeeded.
func (h *lease) keep(began time.Time) {
	for {
		select {
		case <-h.ended:
			return
		case <-h.lost:
			return
		case <-time.After(time.Until(began.Add(h.options.Lease / 3))):
		}
		next, err := h.renew(began.Add(h.options.Lease))
		if err != nil {
			h.lose()
			return
		}
		began = next
		h.mu.Lock()
		h.renewed = began
		h.mu.Unlock()
	}
}

// renew extends the lease, before it ends. It returns when the statement began.
func (h *lease) renew(end time.Time) (began time.Time, err error) {
	ctx, cancel := context.WithDeadline(context.Background(), end)
	defer cancel()
	for {
		a, err := h.run(ctx, `update {s}.lease set expires = clock_timestamp() + $3 * interval '1 microsecond'
			where key = $1 and token = $2 and expires > clock_timestamp()`,
			text(h.key), text(h.token), number(h.options.Lease.Microseconds()))
		switch {
		case err == nil && a.changed == 1:
			return a.began, nil
		case err == nil:
			return time.Time{}, store.ErrLost
		case !errors.Is(err, store.ErrUnavailable) || errors.Is(err, errClosed) || ctx.Err() != nil:
			return time.Time{}, err
		}
	}
}

// lose ends the lease as lost, unless it was released.
func (h *lease) lose() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.isEnded {
		h.isEnded = true
		close(h.lost)
	}
}

// end stops renewing, and reports whether the lease is still held.
func (h *lease) end() (isHeld bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.isEnded {
		return false
	}
	h.isEnded = true
	close(h.ended)
	return true
}

func (h *lease) Release(ctx context.Context) (err error) {
	defer about(&err, "lease", h.key)
	if !h.end() {
		return store.ErrLost
	}
	for isRepeated := false; ; {
		a, err := h.run(ctx, `delete from {s}.lease where key = $1 and token = $2 and expires > clock_timestamp()`,
			text(h.key), text(h.token))
		if err != nil || a.changed > 0 {
			return err
		}
		isRepeated = isRepeated || a.repeated
		left, err := h.settled(ctx, `select key from {s}.lease where key = $1 and token = $2 and expires > clock_timestamp()`,
			text(h.key), text(h.token))
		switch {
		case err != nil:
			return err
		case len(left.rows) > 0: // as before
		case isRepeated: // a repeated call that finds nothing has given it back before
			return nil
		default:
			return store.ErrLost
		}
	}
}
