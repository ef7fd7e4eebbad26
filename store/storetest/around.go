package storetest

import (
	"context"
	"io"
	"time"

	"github.com/chibi-host/chibi/store"
)

// Around returns an engine that passes every call to around, with its name, such as
// "Docs.Get". around calls do to carry the call out; the error that it returns is the
// call's. If that is not nil, the call returns nothing else. Calls may come from several
// goroutines.
func Around(e *store.Engine, around func(call string, do func() error) error) *store.Engine {
	return aroundCalls(e, func(_ context.Context, call string, do func() error) error { return around(call, do) })
}

// aroundCalls is like Around, with the context of each call.
func aroundCalls(e *store.Engine, around func(context.Context, string, func() error) error) *store.Engine {
	w := wrapped{e, around}
	return &store.Engine{Docs: wrappedDocs{w}, Log: wrappedLog{w}, Blobs: wrappedBlobs{w}, Leases: wrappedLeases{w},
		Watch: func(ctx context.Context, prefix string) (c <-chan struct{}, err error) {
			return result(ctx, w, "Watch", func() (<-chan struct{}, error) { return e.Watch(ctx, prefix) })
		},
		Now: e.Now,
		Time: func(ctx context.Context) (time.Time, error) {
			return result(ctx, w, "Time", func() (time.Time, error) { return e.Time(ctx) })
		},
		Status: e.Status, Close: e.Close}
}

type wrapped struct {
	engine *store.Engine
	around func(ctx context.Context, call string, do func() error) error
}

// result carries out a call that returns something.
func result[T any](ctx context.Context, w wrapped, call string, do func() (T, error)) (v T, err error) {
	err = w.around(ctx, call, func() (err error) {
		v, err = do()
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return v, nil
}

type wrappedDocs struct{ wrapped }

func (w wrappedDocs) Get(ctx context.Context, key string) (store.Doc, error) {
	return result(ctx, w.wrapped, "Docs.Get", func() (store.Doc, error) { return w.engine.Docs.Get(ctx, key) })
}

func (w wrappedDocs) Put(ctx context.Context, key string, data []byte, rev uint64) (uint64, error) {
	return result(ctx, w.wrapped, "Docs.Put", func() (uint64, error) { return w.engine.Docs.Put(ctx, key, data, rev) })
}

func (w wrappedDocs) List(ctx context.Context, prefix string, each func(store.Doc) bool) error {
	return w.around(ctx, "Docs.List", func() error { return w.engine.Docs.List(ctx, prefix, each) })
}

func (w wrappedDocs) Keys(ctx context.Context, prefix string, each func(string) bool) error {
	return w.around(ctx, "Docs.Keys", func() error { return w.engine.Docs.Keys(ctx, prefix, each) })
}

func (w wrappedDocs) Walk(ctx context.Context, prefix string, after uint64, each func(store.Doc) bool) error {
	return w.around(ctx, "Docs.Walk", func() error { return w.engine.Docs.Walk(ctx, prefix, after, each) })
}

type wrappedLog struct{ wrapped }

func (w wrappedLog) Tail(ctx context.Context, log string) (store.Tail, error) {
	return result(ctx, w.wrapped, "Log.Tail", func() (store.Tail, error) { return w.engine.Log.Tail(ctx, log) })
}

func (w wrappedLog) Append(ctx context.Context, log string, after store.Tail, r store.Record) (store.Tail, error) {
	return result(ctx, w.wrapped, "Log.Append", func() (store.Tail, error) {
		return w.engine.Log.Append(ctx, log, after, r)
	})
}

func (w wrappedLog) Read(ctx context.Context, log string, r store.Range, each func(store.Record) bool) error {
	return w.around(ctx, "Log.Read", func() error { return w.engine.Log.Read(ctx, log, r, each) })
}

func (w wrappedLog) Remove(ctx context.Context, log string) error {
	return w.around(ctx, "Log.Remove", func() error { return w.engine.Log.Remove(ctx, log) })
}

type wrappedBlobs struct{ wrapped }

func (w wrappedBlobs) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	return result(ctx, w.wrapped, "Blobs.Put", func() (int64, error) { return w.engine.Blobs.Put(ctx, key, r) })
}

func (w wrappedBlobs) Open(ctx context.Context, key string) (store.Blob, error) {
	return result(ctx, w.wrapped, "Blobs.Open", func() (store.Blob, error) { return w.engine.Blobs.Open(ctx, key) })
}

func (w wrappedBlobs) Remove(ctx context.Context, key string) error {
	return w.around(ctx, "Blobs.Remove", func() error { return w.engine.Blobs.Remove(ctx, key) })
}

func (w wrappedBlobs) List(ctx context.Context, prefix string, each func(store.BlobInfo) bool) error {
	return w.around(ctx, "Blobs.List", func() error { return w.engine.Blobs.List(ctx, prefix, each) })
}

type wrappedLeases struct{ wrapped }

func (w wrappedLeases) Take(ctx context.Context, key string, holder []byte) (store.Lease, error) {
	var taken store.Lease
	l, err := result(ctx, w.wrapped, "Leases.Take", func() (_ store.Lease, err error) {
		taken, err = w.engine.Leases.Take(ctx, key, holder)
		return taken, err
	})
	if err == nil {
		return wrappedLease{l, w.wrapped}, nil
	}
	if taken != nil {
		taken.Release(ctx) // nobody has it who would renew it
	}
	return nil, err
}

func (w wrappedLeases) Held(ctx context.Context, prefix string, each func(string, store.HeldError) bool) error {
	return w.around(ctx, "Leases.Held", func() error { return w.engine.Leases.Held(ctx, prefix, each) })
}

func (w wrappedLeases) Holder(ctx context.Context, key string) (*store.HeldError, error) {
	return result(ctx, w.wrapped, "Leases.Holder", func() (*store.HeldError, error) {
		return w.engine.Leases.Holder(ctx, key)
	})
}

func (w wrappedLeases) Break(ctx context.Context, key string) error {
	return w.around(ctx, "Leases.Break", func() error { return w.engine.Leases.Break(ctx, key) })
}

type wrappedLease struct {
	store.Lease
	wrapped wrapped
}

func (w wrappedLease) Release(ctx context.Context) error {
	return w.wrapped.around(ctx, "Lease.Release", func() error { return w.Lease.Release(ctx) })
}

// Failure is a call that fails.
type Failure struct {
	// Call is its number, from 1.
	Call int
	// After is true if it fails after it was carried out, as if the answer had been lost.
	After bool
}

// Failing returns an engine with one call that fails with store.ErrUnavailable. failed
// returns the name of that call, "" if there was none yet.
func Failing(e *store.Engine, which Failure) (failing *store.Engine, failed func() string) {
	f := &failure{Failure: which}
	return Around(e, f.around), f.failed
}

// Counting returns an engine that counts round trips: a list of documents or of values is
// two, another call is one. Of calls that [store.Together] makes, the first round trips are one, and
// so the second ones, whichever ends first.
func Counting(e *store.Engine) (counting *store.Engine, trips func() []string) {
	c := &counter{}
	c.take()
	return aroundCalls(e, c.around), c.take
}
