package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chibi-host/chibi/store"
)

// lease is how long the leases of tests last: a machine that is busy renews them in time, and two
// thirds of it are more than an engine waits for an answer before it asks again.
const lease = 6 * time.Second

// leaseRules are the rules of leases.
type leaseRules struct{ suite }

func (s leaseRules) rules() []rule {
	return []rule{
		{"others learn who holds a lease, and when it would end", s.held},
		{"a lease that was never held or was released is fresh", s.released},
		{"of four machines that take a lease at once one has it", s.oneWins},
		{"a lease of a machine that is gone ends, and the next one learns it", s.expired},
		{"a lease is renewed as long as its holder lives", s.renewed},
		{"a lease that is broken is lost to its holder, and the next one learns it", s.broken},
		{"who has lost a lease does not take it from the next one", s.lost},
		{"leases that are held are listed by the beginning of their key", s.listed},
		{"the holder of one lease can be found without a list", s.oneHolder},
		{"what a holder says of itself has at most 4 KiB", s.holder},
	}
}

func take(e machine, key, holder string) store.Lease {
	e.t.Helper()
	l, err := e.Leases.Take(e.t.Context(), key, []byte(holder))
	must(e.t, err)
	return l
}

// refused checks that somebody holds a lease, and returns when it ends.
func refused(e machine, key, holder string) time.Time {
	e.t.Helper()
	_, err := e.Leases.Take(e.t.Context(), key, []byte("me"))
	var held *store.HeldError
	if !errors.As(err, &held) || string(held.Holder) != holder || !strings.Contains(err.Error(), key) {
		e.t.Fatalf("taking what %q holds: %v, %+v", holder, err, held)
	}
	return held.Expires
}

// taken waits until a lease is free, and takes it.
func taken(e machine, key, holder string) (l store.Lease) {
	e.t.Helper()
	until(e.t, "taking lease "+key, func(ctx context.Context) bool {
		var err error
		l, err = e.Leases.Take(ctx, key, []byte(holder))
		var held *store.HeldError
		if err != nil && !errors.As(err, &held) {
			e.t.Fatal(err)
		}
		return err == nil
	})
	return l
}

func release(t *testing.T, l store.Lease) {
	t.Helper()
	must(t, l.Release(t.Context()))
}

// held: the machine that asks has a clock that is an hour ahead.
func (s leaseRules) held(t *testing.T) {
	for _, off := range []time.Duration{0, time.Hour, -time.Hour} {
		now := func() time.Time { return time.Now().Add(off) }
		m := s.with(t, store.Options{Lease: time.Minute, Now: now}, 2)
		l := take(m[0], "work", `{"host":"one"}`)
		for _, e := range m {
			left := refused(e, "work", `{"host":"one"}`).Sub(now())
			if left <= 0 || left > time.Minute+time.Second {
				t.Errorf("with a clock that is off by %v the lease ends in %v", off, left)
			}
		}
		release(t, take(m[1], "other", "two"))
		release(t, l)
	}
}

func (s leaseRules) released(t *testing.T) {
	m := s.machines(t, 2)
	for i := range 100 {
		l := take(m[i%2], "work", "")
		if !l.Fresh() {
			t.Fatalf("lease %d is not fresh", i)
		}
		release(t, l)
	}
}

func (s leaseRules) oneWins(t *testing.T) {
	m := s.machines(t, 4)
	for round := range 10 {
		var won atomic.Int32
		atOnce(m, func(n int, e machine) {
			_, err := e.Leases.Take(t.Context(), fmt.Sprint("work", round), []byte{'0' + byte(n)})
			var held *store.HeldError
			if err == nil {
				won.Add(1)
			} else if !errors.As(err, &held) {
				t.Error(err)
			}
		})
		if won.Load() != 1 {
			t.Errorf("%d machines took lease %d", won.Load(), round)
		}
	}
}

func (s leaseRules) expired(t *testing.T) {
	t.Parallel()
	m := s.machines(t, 2)
	lost := take(m[0], "work", "gone").Lost() // asked for later, it could be closed by that
	refused(m[1], "work", "gone")
	must(t, m[0].Close())
	next := taken(m[1], "work", "next")
	if next.Fresh() {
		t.Error("a lease that ended is fresh, as if it had been released")
	}
	await(t, "the machine that is gone loses its lease", lost)
	release(t, next)
	if again := take(m[1], "work", "again"); !again.Fresh() {
		t.Error("once it was released, it is not fresh")
	}
}

func (s leaseRules) renewed(t *testing.T) {
	t.Parallel()
	m := s.machines(t, 2)
	l := take(m[0], "work", "one")
	over := time.After(lease + lease/4)
	for last := false; !last; {
		refused(m[1], "work", "one")
		select {
		case <-l.Lost():
			t.Fatal("the lease was lost")
		case <-over:
			last = true
		case <-time.After(lease / 10):
		}
	}
	release(t, l)
	release(t, take(m[1], "work", "two"))
}

func (s leaseRules) broken(t *testing.T) {
	t.Parallel()
	m := s.machines(t, 2)
	must(t, m[1].Leases.Break(t.Context(), "work"))
	l := take(m[0], "work", "one")
	must(t, m[1].Leases.Break(t.Context(), "work"))
	next := take(m[1], "work", "two")
	if next.Fresh() {
		t.Error("a lease that was broken is fresh, as if it had been released")
	}
	await(t, "the holder finds its lease lost", l.Lost())
	refuses(t, l.Release(t.Context()), store.ErrLost, "work")
	refused(m[0], "work", "two")
	release(t, next)
}

// lost: the holder learns when it releases the lease that it is another's.
func (s leaseRules) lost(t *testing.T) {
	m := s.machines(t, 2)
	l := take(m[0], "work", "one")
	must(t, m[1].Leases.Break(t.Context(), "work"))
	next := take(m[1], "work", "two")
	refuses(t, l.Release(t.Context()), store.ErrLost, "work")
	refused(m[0], "work", "two")
	release(t, next)
	if again := take(m[0], "work", "one"); !again.Fresh() {
		t.Error("a lease that the second one released is not fresh")
	}
}

func listedLeases(e machine, prefix string) (found []string) {
	e.t.Helper()
	must(e.t, e.Leases.Held(e.t.Context(), prefix, func(key string, held store.HeldError) bool {
		if left := time.Until(held.Expires); left <= 0 || left > lease+time.Second {
			e.t.Errorf("%q ends in %v", key, left)
		}
		found = append(found, key+"="+string(held.Holder))
		return true
	}))
	slices.Sort(found)
	return found
}

func (s leaseRules) listed(t *testing.T) {
	m := s.machines(t, 2)
	for i, key := range []string{"a", "ab", "b", "gone", "broken"} {
		l := take(m[i%2], key, fmt.Sprint("holder ", i))
		switch key {
		case "gone":
			release(t, l)
		case "broken":
			must(t, m[1].Leases.Break(t.Context(), key))
		}
	}
	all := []string{"a=holder 0", "ab=holder 1", "b=holder 2"}
	for prefix, want := range map[string][]string{"": all, "a": all[:2], "ab": all[1:2], "c": nil, "gone": nil} {
		if got := listedLeases(m[0], prefix); !slices.Equal(got, want) {
			t.Errorf("%q: %v; want %v", prefix, got, want)
		}
	}
	n := 0
	must(t, m[0].Leases.Held(t.Context(), "", func(string, store.HeldError) bool {
		n++
		return false
	}))
	if n != 1 {
		t.Errorf("%d leases were listed after the first was to be the last", n)
	}
}

func (s leaseRules) oneHolder(t *testing.T) {
	m := s.machines(t, 2)
	holder := func(key, want string) {
		t.Helper()
		held, err := m[1].Leases.Holder(t.Context(), key)
		must(t, err)
		switch {
		case held == nil && want != "" || held != nil && string(held.Holder) != want:
			t.Errorf("%q is held by %v; want %q", key, held, want)
		case held != nil && (time.Until(held.Expires) <= 0 || time.Until(held.Expires) > lease+time.Second):
			t.Errorf("%q ends at %v", key, held.Expires)
		}
	}
	holder("work", "")
	l := take(m[0], "work", "one")
	take(m[0], "workshop", "two")
	holder("work", "one")
	holder("wor", "")
	release(t, l)
	holder("work", "")
}

func (s leaseRules) holder(t *testing.T) {
	e, most := s.machine(t), strings.Repeat("x", store.MaxHolder)
	l := take(e, "work", most)
	refused(e, "work", most)
	release(t, l)
	_, err := e.Leases.Take(t.Context(), "work", []byte(most+"x"))
	refuses(t, err, store.ErrTooLarge, "work")
	if l := take(e, "work", ""); !l.Fresh() {
		t.Error("the refused one took the lease")
	}
}
