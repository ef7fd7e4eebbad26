//go:build unix

package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/chibi-host/chibi/cluster/internal/pgtest"
	"github.com/chibi-host/chibi/store"
)

// TestCallsMadeTogetherAreOneRoundTrip, whatever each of them does, and the refusal of one is no
// other one's.
func TestCallsMadeTogetherAreOneRoundTrip(t *testing.T) {
	ctx, proxy := t.Context(), pgtest.NewProxy(t, server(t))
	e := open(t, store.Options{URL: proxy.Through(home(t, server(t), "together"))})
	var calls []func(context.Context)
	var check []func() error
	for i, o := range operations() {
		if o.trips > 1 {
			continue
		}
		key := fmt.Sprintf("key%d", i)
		prepared, err := o.prepare(ctx, e, key)
		if err != nil {
			t.Fatal(o.name, err)
		}
		var failed error
		calls = append(calls, func(ctx context.Context) { failed = o.call(ctx, e, key, prepared) })
		check = append(check, func() error {
			if err := errors.Join(failed, o.check(ctx, e, key, prepared)); err != nil {
				return fmt.Errorf("%s: %w", o.name, err)
			}
			return nil
		})
	}
	var refused, unread error
	calls = append(calls, func(ctx context.Context) { _, refused = e.Docs.Get(ctx, "not/a/key") },
		func(ctx context.Context) { _, unread = e.Docs.Get(ctx, "nothing") })
	proxy.RoundTrips()
	store.Together(ctx, calls...)
	if n := proxy.RoundTrips(); n != 2 { // one more for the document of "Put of a change"
		t.Errorf("%d round trips", n)
	}
	for _, check := range check {
		if err := check(); err != nil {
			t.Error(err)
		}
	}
	if refused == nil || !errors.Is(unread, store.ErrNotFound) {
		t.Errorf("%v, %v", refused, unread)
	}
}

// TestWhatIsLostTogetherHappensOnce: calls that were sent in one piece lose it, or their answers; each is
// repeated by itself, as if it had been alone.
func TestWhatIsLostTogetherHappensOnce(t *testing.T) {
	ctx, s := t.Context(), server(t)
	url := home(t, s, "losttogether")
	for _, loss := range []pgtest.Loss{pgtest.Request, pgtest.Answer} {
		proxy := pgtest.NewProxy(t, s)
		e := open(t, store.Options{URL: proxy.Through(url)})
		key := fmt.Sprintf("key%d", loss)
		var appended, put, got error
		var tail store.Tail
		proxy.Lose(loss, 0)
		store.Together(ctx, func(ctx context.Context) {
			tail, appended = e.Log.Append(ctx, key, store.Tail{}, store.Record{ID: "a"})
		}, func(ctx context.Context) {
			_, put = e.Docs.Put(ctx, key, []byte("x"), 0)
		}, func(ctx context.Context) {
			_, got = e.Docs.Get(ctx, "nothing")
		})
		if appended != nil || put != nil || !errors.Is(got, store.ErrNotFound) || proxy.Left() != pgtest.Nothing {
			t.Errorf("loss %d: %v, %v, %v; left %v", loss, appended, put, got, proxy.Left())
		}
		if now, err := e.Log.Tail(ctx, key); err != nil || now != tail || now.Count != 1 {
			t.Errorf("loss %d: %v, %v", loss, now, err)
		}
		if d, err := e.Docs.Get(ctx, key); err != nil || string(d.Data) != "x" {
			t.Errorf("loss %d: %q, %v", loss, d.Data, err)
		}
	}
}

// TestACallThatEndsSpoilsNoOther: of calls made together one has ended before it could ask.
func TestACallThatEndsSpoilsNoOther(t *testing.T) {
	ctx := t.Context()
	e := open(t, store.Options{URL: home(t, server(t), "ended")})
	var ended, got error
	store.Together(ctx, func(ctx context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		_, ended = e.Docs.Get(ctx, "one")
	}, func(ctx context.Context) {
		_, got = e.Docs.Get(ctx, "two")
	})
	if !errors.Is(ended, store.ErrUnavailable) || !errors.Is(ended, context.Canceled) ||
		!errors.Is(got, store.ErrNotFound) {
		t.Errorf("%v; %v", ended, got)
	}
}

// TestOpeningTakesTwoRoundTrips where the server asks for no password: that of PostgreSQL, and one.
func TestOpeningTakesTwoRoundTrips(t *testing.T) {
	proxy := pgtest.NewProxy(t, server(t))
	open(t, store.Options{URL: proxy.Through(home(t, server(t), "opening"))})
	if n := proxy.RoundTrips(); n != 2 {
		t.Errorf("%d round trips", n)
	}
}

// TestAnErrorOfTheServerIsThatOfOneCall: the others that were sent with it succeed.
func TestAnErrorOfTheServerIsThatOfOneCall(t *testing.T) {
	ctx, s := t.Context(), server(t)
	e := open(t, store.Options{URL: home(t, s, "onebad")})
	if _, err := s.Exec(ctx, "drop table chibi_onebad.lease"); err != nil {
		t.Fatal(err)
	}
	var put, taken, listed error
	store.Together(ctx, func(ctx context.Context) {
		_, put = e.Docs.Put(ctx, "one", []byte("x"), 0)
	}, func(ctx context.Context) {
		_, taken = e.Leases.Take(ctx, "work", nil)
	}, func(ctx context.Context) {
		listed = e.Docs.List(ctx, "none.", func(store.Doc) bool { return true })
	})
	if put != nil || listed != nil || !errors.Is(taken, store.ErrNotFound) {
		t.Errorf("%v, %v, %v", put, taken, listed)
	}
	if d, err := e.Docs.Get(ctx, "one"); err != nil || string(d.Data) != "x" {
		t.Errorf("%q, %v", d.Data, err)
	}
}
