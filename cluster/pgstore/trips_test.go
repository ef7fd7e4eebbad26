//go:build unix

package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/chibi-host/chibi/cluster/internal/pgtest"
	"github.com/chibi-host/chibi/store"
)

// operation is a call of an engine, with what must hold after it.
type operation struct {
	name  string
	trips int
	// prepare makes what the call needs; call and check get what it returned.
	prepare func(ctx context.Context, e *store.Engine, key string) (any, error)
	call    func(ctx context.Context, e *store.Engine, key string, prepared any) error
	check   func(ctx context.Context, e *store.Engine, key string, prepared any) error
}

// reads reports whether nothing is written.
func (o operation) reads() bool {
	return slices.Contains([]string{"Get", "List", "Keys", "Tail", "Read", "Read backward", "Holder"}, o.name)
}

func nothing(context.Context, *store.Engine, string) (any, error) { return nil, nil }

func document(ctx context.Context, e *store.Engine, key string) (any, error) {
	return e.Docs.Put(ctx, key, []byte("old"), 0)
}

func record(ctx context.Context, e *store.Engine, key string) (any, error) {
	return e.Log.Append(ctx, key, store.Tail{}, store.Record{ID: "first", Data: []byte("old")})
}

// hasDoc checks that a document has a text; "" that it is not there.
func hasDoc(text string) func(context.Context, *store.Engine, string, any) error {
	return func(ctx context.Context, e *store.Engine, key string, _ any) error {
		d, err := e.Docs.Get(ctx, key)
		if text == "" && errors.Is(err, store.ErrNotFound) || err == nil && string(d.Data) == text {
			return nil
		}
		return fmt.Errorf("%q, %w", d.Data, err)
	}
}

// hasRecords checks the ids of a log.
func hasRecords(ids string) func(context.Context, *store.Engine, string, any) error {
	return func(ctx context.Context, e *store.Engine, key string, _ any) error {
		found := ""
		err := e.Log.Read(ctx, key, store.Range{}, func(r store.Record) bool {
			found += r.ID + " "
			return true
		})
		if err == nil && found != ids {
			err = fmt.Errorf("the log has %q; want %q", found, ids)
		}
		return err
	}
}

func isAsBefore(context.Context, *store.Engine, string, any) error { return nil }

// isFree checks that a lease can be taken, and was released.
func isFree(ctx context.Context, e *store.Engine, key string, _ any) error {
	l, err := e.Leases.Take(ctx, key, nil)
	if err != nil {
		return err
	}
	if !l.Fresh() {
		return errors.New("the lease does not count as released")
	}
	return l.Release(ctx)
}

// isBroken checks that a lease can be taken, and was not released.
func isBroken(ctx context.Context, e *store.Engine, key string, _ any) error {
	l, err := e.Leases.Take(ctx, key, nil)
	if err == nil && l.Fresh() {
		err = errors.New("the lease counts as released")
	}
	return err
}

// isConflict is the error of a Put that must conflict.
func isConflict(_ uint64, err error) error {
	if errors.Is(err, store.ErrConflict) {
		return nil
	}
	return fmt.Errorf("%w instead of a conflict", err)
}

func operations() []operation {
	return []operation{
		{"Get", 1, document, func(ctx context.Context, e *store.Engine, key string, _ any) error {
			_, err := e.Docs.Get(ctx, key)
			return err
		}, hasDoc("old")},
		{"Put of a new document", 1, nothing, func(ctx context.Context, e *store.Engine, key string, _ any) error {
			_, err := e.Docs.Put(ctx, key, []byte("new"), 0)
			return err
		}, hasDoc("new")},
		{"Put of a change", 1, document, func(ctx context.Context, e *store.Engine, key string, rev any) error {
			next, err := e.Docs.Put(ctx, key, []byte("new"), rev.(uint64))
			if d, got := e.Docs.Get(ctx, key); err == nil && (got != nil || d.Rev != next) {
				err = fmt.Errorf("the revision is %d and not %d, %w", d.Rev, next, got)
			}
			return err
		}, hasDoc("new")},
		{"Put of nothing", 1, document, func(ctx context.Context, e *store.Engine, key string, rev any) error {
			_, err := e.Docs.Put(ctx, key, nil, rev.(uint64))
			return err
		}, hasDoc("")},
		{"Put of what is there", 2, document, func(ctx context.Context, e *store.Engine, key string, _ any) error {
			return isConflict(e.Docs.Put(ctx, key, []byte("new"), 0))
		}, hasDoc("old")},
		{"Put of nothing of another revision", 2, document, func(ctx context.Context, e *store.Engine, key string,
			rev any) error {
			return isConflict(e.Docs.Put(ctx, key, nil, rev.(uint64)+1))
		}, hasDoc("old")},
		{"List", 1, document, func(ctx context.Context, e *store.Engine, key string, _ any) error {
			return e.Docs.List(ctx, key, func(store.Doc) bool { return true })
		}, hasDoc("old")},
		{"Keys", 1, document, func(ctx context.Context, e *store.Engine, key string, _ any) error {
			return e.Docs.Keys(ctx, key, func(string) bool { return true })
		}, hasDoc("old")},
		{"Holder", 1, nothing, func(ctx context.Context, e *store.Engine, key string, _ any) error {
			_, err := e.Leases.Holder(ctx, key)
			return err
		}, isAsBefore},
		{"Tail", 1, record, func(ctx context.Context, e *store.Engine, key string, tail any) error {
			now, err := e.Log.Tail(ctx, key)
			if err == nil && now != tail {
				err = fmt.Errorf("%v; want %v", now, tail)
			}
			return err
		}, hasRecords("first ")},
		{"Append to nothing", 1, nothing, func(ctx context.Context, e *store.Engine, key string, _ any) error {
			_, err := e.Log.Append(ctx, key, store.Tail{}, store.Record{ID: "a"})
			return err
		}, hasRecords("a ")},
		{"Append", 1, record, func(ctx context.Context, e *store.Engine, key string, tail any) error {
			_, err := e.Log.Append(ctx, key, tail.(store.Tail), store.Record{ID: "second"})
			return err
		}, hasRecords("first second ")},
		{"Append of what is there", 2, record, func(ctx context.Context, e *store.Engine, key string, tail any) error {
			again, err := e.Log.Append(ctx, key, store.Tail{}, store.Record{ID: "first"})
			if err == nil && again != tail {
				err = fmt.Errorf("%v; want %v", again, tail)
			}
			return err
		}, hasRecords("first ")},
		{"Read", 1, record, func(ctx context.Context, e *store.Engine, key string, _ any) error {
			return e.Log.Read(ctx, key, store.Range{}, func(store.Record) bool { return true })
		}, hasRecords("first ")},
		{"Read backward", 1, record, func(ctx context.Context, e *store.Engine, key string, _ any) error {
			return e.Log.Read(ctx, key, store.Range{Backward: true}, func(store.Record) bool { return true })
		}, hasRecords("first ")},
		{"Remove of a log", 2, record, func(ctx context.Context, e *store.Engine, key string, _ any) error {
			return e.Log.Remove(ctx, key)
		}, hasRecords("")},
		{"Take", 1, nothing, func(ctx context.Context, e *store.Engine, key string, _ any) error {
			l, err := e.Leases.Take(ctx, key, []byte("me"))
			if err == nil && !l.Fresh() {
				err = errors.New("a lease that nobody held is not fresh")
			}
			return err
		}, isAsBefore},
		{"Release", 1, func(ctx context.Context, e *store.Engine, key string) (any, error) {
			return e.Leases.Take(ctx, key, []byte("me"))
		}, func(ctx context.Context, _ *store.Engine, _ string, l any) error {
			return l.(store.Lease).Release(ctx)
		}, isFree},
		{"Break", 1, func(ctx context.Context, e *store.Engine, key string) (any, error) {
			return e.Leases.Take(ctx, key, []byte("me"))
		}, func(ctx context.Context, e *store.Engine, key string, _ any) error {
			return e.Leases.Break(ctx, key)
		}, isBroken},
		{"Put of a small blob", 1, nothing, func(ctx context.Context, e *store.Engine, key string, _ any) error {
			_, err := e.Blobs.Put(ctx, key, bytes.NewReader([]byte("blob")))
			return err
		}, hasBlob(4)},
		{"Put of a blob of 2.5 MiB", 5, nothing, func(ctx context.Context, e *store.Engine, key string, _ any) error {
			_, err := e.Blobs.Put(ctx, key, bytes.NewReader(make([]byte, 5<<19)))
			return err
		}, hasBlob(5 << 19)},
		{"Remove of a blob", 1, func(ctx context.Context, e *store.Engine, key string) (any, error) {
			return e.Blobs.Put(ctx, key, bytes.NewReader([]byte("blob")))
		}, func(ctx context.Context, e *store.Engine, key string, _ any) error {
			return e.Blobs.Remove(ctx, key)
		}, func(ctx context.Context, e *store.Engine, key string, _ any) error {
			if _, err := e.Blobs.Open(ctx, key); !errors.Is(err, store.ErrNotFound) {
				return fmt.Errorf("it is there: %w", err)
			}
			return nil
		}},
	}
}

func hasBlob(size int64) func(context.Context, *store.Engine, string, any) error {
	return func(ctx context.Context, e *store.Engine, key string, _ any) error {
		b, err := e.Blobs.Open(ctx, key)
		if err != nil {
			return err
		}
		defer b.Close()
		n, err := b.ReadAt(make([]byte, size), 0)
		if err == nil && (b.Size() != size || int64(n) != size) {
			err = fmt.Errorf("%d of %d bytes", n, b.Size())
		}
		return err
	}
}

// TestEachOperationIsOneRoundTrip on a connection that is there. Put of a change gets the
// document as well.
func TestEachOperationIsOneRoundTrip(t *testing.T) {
	ctx, proxy := t.Context(), pgtest.NewProxy(t, server(t))
	e := open(t, store.Options{URL: proxy.Through(home(t, server(t), "trips"))})
	for i, o := range operations() {
		key := fmt.Sprintf("key%d", i)
		prepared, err := o.prepare(ctx, e, key)
		if err != nil {
			t.Fatal(o.name, err)
		}
		proxy.RoundTrips()
		err = o.call(ctx, e, key, prepared)
		want := o.trips
		if o.name == "Put of a change" {
			want++ // it looks at the document
		}
		if n := proxy.RoundTrips(); err != nil || n != want {
			t.Errorf("%s: %d round trips, want %d; %v", o.name, n, want, err)
		}
	}
}

// TestWhatIsNotAnsweredHappensOnce: each round trip of each operation loses its request, and
// then its answer; the engine repeats it, and all is as if nothing had been lost.
func TestWhatIsNotAnsweredHappensOnce(t *testing.T) {
	ctx, s := t.Context(), server(t)
	url := home(t, s, "lost")
	direct := open(t, store.Options{URL: url})
	for i, o := range operations() {
		for n := range 2 * o.trips {
			loss, after := pgtest.Loss(n%2)+pgtest.Request, n/2
			t.Run(fmt.Sprintf("%s, round trip %d, loss %d", o.name, after+1, loss), func(t *testing.T) {
				proxy := pgtest.NewProxy(t, s)
				e := open(t, store.Options{URL: proxy.Through(url)})
				key := fmt.Sprintf("key%d-%d", i, n)
				prepared, err := o.prepare(ctx, e, key)
				if err != nil {
					t.Fatal(err)
				}
				proxy.Lose(loss, after)
				if err := o.call(ctx, e, key, prepared); err != nil {
					t.Error(err)
				}
				if proxy.Left() != pgtest.Nothing {
					t.Error("nothing was lost")
				}
				if err := o.check(ctx, direct, key, prepared); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
