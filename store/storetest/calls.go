package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/store"
)

// callRules are the rules of all calls.
type callRules struct{ suite }

func (s callRules) rules() []rule {
	return []rule{
		{"wrong names are refused before they are used", s.names},
		{"a call whose context has ended says so, and that the store is not available", s.ended},
		{"a call after Close says that the store is not available", s.closed},
		{"what a call that was not made would have changed is unchanged", s.unchanged},
		{"the store describes itself", s.status},
		{"ages count by the store's clock, and no machine whose clock is off counts them", s.ages},
	}
}

// call is a call with a key, or with the name of a log.
type call struct {
	name string
	make func(ctx context.Context, e *store.Engine, key string) error
}

// keyed are the calls that take a key, prefixed those that take the beginning of one, and
// logged those that take the name of a log.
func keyed() []call {
	return []call{
		{"Docs.Get", func(ctx context.Context, e *store.Engine, key string) error {
			_, err := e.Docs.Get(ctx, key)
			return err
		}},
		{"Docs.Put", func(ctx context.Context, e *store.Engine, key string) error {
			_, err := e.Docs.Put(ctx, key, []byte("x"), 0)
			return err
		}},
		{"Docs.Put nil", func(ctx context.Context, e *store.Engine, key string) error {
			_, err := e.Docs.Put(ctx, key, nil, 1)
			return err
		}},
		{"Blobs.Put", func(ctx context.Context, e *store.Engine, key string) error {
			_, err := e.Blobs.Put(ctx, key, strings.NewReader("x"))
			return err
		}},
		{"Blobs.Open", func(ctx context.Context, e *store.Engine, key string) error {
			_, err := e.Blobs.Open(ctx, key)
			return err
		}},
		{"Blobs.Remove", func(ctx context.Context, e *store.Engine, key string) error {
			return e.Blobs.Remove(ctx, key)
		}},
		{"Leases.Take", func(ctx context.Context, e *store.Engine, key string) error {
			_, err := e.Leases.Take(ctx, key, nil)
			return err
		}},
		{"Leases.Holder", func(ctx context.Context, e *store.Engine, key string) error {
			_, err := e.Leases.Holder(ctx, key)
			return err
		}},
		{"Leases.Break", func(ctx context.Context, e *store.Engine, key string) error {
			return e.Leases.Break(ctx, key)
		}},
	}
}

func prefixed() []call {
	return []call{
		{"Docs.List", func(ctx context.Context, e *store.Engine, key string) error {
			return e.Docs.List(ctx, key, func(store.Doc) bool { return true })
		}},
		{"Docs.Keys", func(ctx context.Context, e *store.Engine, key string) error {
			return e.Docs.Keys(ctx, key, func(string) bool { return true })
		}},
		{"Docs.Walk", func(ctx context.Context, e *store.Engine, key string) error {
			return e.Docs.Walk(ctx, key, 0, func(store.Doc) bool { return true })
		}},
		{"Blobs.List", func(ctx context.Context, e *store.Engine, key string) error {
			return e.Blobs.List(ctx, key, func(store.BlobInfo) bool { return true })
		}},
		{"Leases.Held", func(ctx context.Context, e *store.Engine, key string) error {
			return e.Leases.Held(ctx, key, func(string, store.HeldError) bool { return true })
		}},
		{"Watch", func(ctx context.Context, e *store.Engine, key string) error {
			_, err := e.Watch(ctx, key)
			return err
		}},
	}
}

func logged() []call {
	return []call{
		{"Log.Tail", func(ctx context.Context, e *store.Engine, log string) error {
			_, err := e.Log.Tail(ctx, log)
			return err
		}},
		{"Log.Append", func(ctx context.Context, e *store.Engine, log string) error {
			_, err := e.Log.Append(ctx, log, store.Tail{}, record("a", "x"))
			return err
		}},
		{"Log.Read", func(ctx context.Context, e *store.Engine, log string) error {
			return e.Log.Read(ctx, log, store.Range{}, func(store.Record) bool { return true })
		}},
		{"Log.Remove", func(ctx context.Context, e *store.Engine, log string) error {
			return e.Log.Remove(ctx, log)
		}},
	}
}

// badNames are not valid as names of anything.
func badNames() []string {
	return []string{">", "*", "a.>", "a.*", "a b", "a/b", "../a", `a\b`, "a\x00", "a\n", "é", "$KV", "a%",
		"'; drop table docs", strings.Repeat("x", store.MaxKey+1)}
}

func (s callRules) names(t *testing.T) {
	e := s.machine(t)
	e.put("a.b", "x", 0)
	putBlob(e, "a.b", []byte("x"))
	e.appended("a", store.Tail{}, record("a", "x"))
	take(e, "a.b", "one")
	refuse := func(calls []call, names ...string) {
		t.Helper()
		for _, c := range calls {
			for _, name := range append(badNames(), names...) {
				err := c.make(t.Context(), e.Engine, name)
				if err == nil || errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrNotFound) {
					t.Errorf("%s(%.20q): %v; want an error that says what is wrong with it", c.name, name, err)
				}
			}
		}
	}
	refuse(keyed(), "", ".", "a.", ".a", "a..b")
	refuse(prefixed())
	refuse(logged(), "", "a.b", ".")
	for _, id := range append(badNames(), "", "a.b", strings.Repeat("x", 65)) {
		if _, err := e.Log.Append(t.Context(), "new", store.Tail{}, record(id, "x")); err == nil {
			t.Errorf("a record with the id %.20q was stored", id)
		}
	}
	e.has("a.b", "x")
	hasBlob(e, "a.b", []byte("x"))
	e.reads("a", e.whole("a"), "x")
	refused(e, "a.b", "one")
}

// every returns the calls of an engine.
func every() []call {
	status := call{"Status", func(ctx context.Context, e *store.Engine, _ string) error {
		_, err := e.Status(ctx)
		return err
	}}
	return append(append(append(keyed(), prefixed()...), logged()...), status)
}

func (s callRules) ended(t *testing.T) {
	e := s.machine(t)
	ended, end := context.WithCancel(t.Context())
	end()
	late, stop := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer stop()
	for _, c := range every() {
		for ctx, want := range map[context.Context]error{ended: context.Canceled, late: context.DeadlineExceeded} {
			if err := c.make(ctx, e.Engine, "work"); !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, want) {
				t.Errorf("%s: %v; want %q and %q", c.name, err, store.ErrUnavailable, want)
			}
		}
	}
}

func (s callRules) closed(t *testing.T) {
	e := s.machine(t)
	must(t, e.Close())
	for _, c := range every() {
		if err := c.make(t.Context(), e.Engine, "work"); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: %v; want %q", c.name, err, store.ErrUnavailable)
		}
	}
	must(t, e.Close())
}

func (s callRules) unchanged(t *testing.T) {
	m := s.machines(t, 2)
	rev := m[0].put("work", "x", 0)
	tail := m[0].appended("work", store.Tail{}, record("first", "x"))
	putBlob(m[0], "work", []byte("x"))
	l := take(m[0], "work", "one")
	ended, end := context.WithCancel(t.Context())
	end()
	for _, c := range every() {
		if c.make(ended, m[1].Engine, "work") == nil {
			t.Errorf("%s was carried out", c.name)
		}
	}
	if got := m[0].has("work", "x"); got != rev {
		t.Errorf("the document has revision %d; want %d", got, rev)
	}
	m[0].ends("work", tail)
	hasBlob(m[0], "work", []byte("x"))
	refused(m[1], "work", "one")
	release(t, l)
}

func (s callRules) status(t *testing.T) {
	status, err := s.machine(t).Status(t.Context())
	if err != nil || status.Engine == "" || status.URL == "" || status.Format != store.Format || len(status.Parts) == 0 ||
		!status.Push && status.WhyNot == "" {
		t.Errorf("%+v, %v", status, err)
	}
}

// ages asks for the time after a record was stored, by machines whose clocks are right and off.
func (s callRules) ages(t *testing.T) {
	e := s.machine(t)
	_, err := e.Log.Append(t.Context(), "log", store.Tail{}, store.Record{ID: "one", Data: []byte("x")})
	must(t, err)
	now, err := e.AgesAt(t.Context())
	must(t, err)
	must(t, e.Log.Read(t.Context(), "log", store.Range{}, func(r store.Record) bool {
		if age := now.Sub(r.Time); age < 0 || age > patience {
			t.Errorf("a record that was stored just now has the age %v", age)
		}
		return true
	}))
	for off, says := range map[time.Duration]string{time.Hour: "ahead of", -time.Hour: "behind"} {
		off := store.Options{Lease: lease, Now: func() time.Time { return time.Now().Add(off) }}
		_, err := s.with(t, off, 1)[0].AgesAt(t.Context())
		var wrong *store.ClockError
		if !errors.As(err, &wrong) || wrong.Ahead.Abs() < 59*time.Minute || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want that the clock is an hour %s", err, says)
		}
	}
}
