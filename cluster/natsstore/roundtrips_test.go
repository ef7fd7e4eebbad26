package natsstore_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
	"github.com/chibi-host/chibi/cluster/natsstore"
	"github.com/chibi-host/chibi/store"
)

// TestRoundTrips holds what each operation costs: messages that are sent to the servers.
func TestRoundTrips(t *testing.T) {
	url := natstest.NewHome(t, natstest.Start(t, "", natstest.Always, "").URL(), 1)
	e := natstest.Open(t, store.Options{URL: url})
	if sent := natsstore.Sent(e); sent != 1 {
		t.Errorf("connecting: %d messages in place of 1", sent)
	}
	ctx := t.Context()
	var (
		rev   uint64
		tail  store.Tail
		lease store.Lease
		blob  store.Blob
		buf   = make([]byte, 100<<10)
		all   = func(store.Doc) bool { return true }
		held  = func(string, store.HeldError) bool { return true }
		large = bytes.NewReader(make([]byte, 1<<20))
	)
	add := func(id string) (err error) {
		tail, err = e.Log.Append(ctx, "a", tail, store.Record{ID: id})
		return err
	}
	for _, c := range []struct {
		what string
		want uint64
		do   func() error
	}{
		{"put a document", 1, func() (err error) { rev, err = e.Docs.Put(ctx, "name.a", []byte("x"), 0); return err }},
		{"change a document", 1, func() (err error) { rev, err = e.Docs.Put(ctx, "name.a", []byte("y"), rev); return err }},
		{"get a document", 1, func() (err error) { _, err = e.Docs.Get(ctx, "name.a"); return err }},
		{"list documents", 2, func() error { return e.Docs.List(ctx, "name.", all) }},
		{"list keys", 1, func() error { return e.Docs.Keys(ctx, "name.", func(string) bool { return true }) }},
		{"list no documents", 1, func() error { return e.Docs.List(ctx, "mail.x.", all) }},
		{"remove a document", 2, func() (err error) { _, err = e.Docs.Put(ctx, "name.a", nil, rev); return err }},
		{"put one again", 1, func() (err error) { rev, err = e.Docs.Put(ctx, "name.b", []byte("x"), 0); return err }},
		{"remove that", 1, func() (err error) { _, err = e.Docs.Put(ctx, "name.b", nil, rev); return err }},
		{"tail of an empty log", 1, func() (err error) { tail, err = e.Log.Tail(ctx, "a"); return err }},
		{"append", 1, func() error { return add("1") }},
		{"append again", 1, func() error { return add("2") }},
		{"tail", 1, func() (err error) { tail, err = e.Log.Tail(ctx, "a"); return err }},
		{"read a window", 1, func() error { return readAll(ctx, e, store.Range{First: 1, Last: tail.Last}, 2) }},
		{"read the newest", 2, func() error { return readAll(ctx, e, store.Range{Backward: true}, 2) }},
		{"take a lease", 2, func() (err error) { lease, err = e.Leases.Take(ctx, "a", []byte("me")); return err }},
		{"list leases", 3, func() error { return e.Leases.Held(ctx, "", held) }},
		{"ask for its holder", 2, func() error { _, err := e.Leases.Holder(ctx, "a"); return err }},
		{"release a lease", 1, func() error { return lease.Release(ctx) }},
		{"take it again", 2, func() (err error) { lease, err = e.Leases.Take(ctx, "a", []byte("me")); return err }},
		{"put 1 MiB", 5, func() (err error) { _, err = e.Blobs.Put(ctx, "a", large); return err }},
		{"open it", 2, func() (err error) { blob, err = e.Blobs.Open(ctx, "a"); return err }},
		{"read its beginning", 0, func() (err error) { _, err = blob.ReadAt(buf, 0); return err }},
		{"read its end", 1, func() (err error) { _, err = blob.ReadAt(buf, 900<<10); return err }},
	} {
		before := natsstore.Sent(e)
		if err := c.do(); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if sent := natsstore.Sent(e) - before; sent != c.want {
			t.Errorf("%s: %d messages in place of %d", c.what, sent, c.want)
		}
	}
}

// readAll reads a range of the log "a", which has as many records.
func readAll(ctx context.Context, e *store.Engine, r store.Range, want int) error {
	n := 0
	err := e.Log.Read(ctx, "a", r, func(store.Record) bool { n++; return true })
	if err == nil && n != want {
		err = fmt.Errorf("%d records in place of %d", n, want)
	}
	return err
}

// TestAListCostsTheSameForManyDocuments: ten thousand contexts are listed as one is.
func TestAListCostsTheSameForManyDocuments(t *testing.T) {
	url := natstest.NewHome(t, natstest.Start(t, "", "", "").URL(), 1) // no sync: it makes what is listed
	e := natstest.Open(t, store.Options{URL: url})
	const many = 3000
	for i := range many {
		if _, err := e.Docs.Put(t.Context(), fmt.Sprintf("name.n%d", i), []byte(`{"id": "x"}`), 0); err != nil {
			t.Fatal(err)
		}
	}
	before, n := natsstore.Sent(e), 0
	if err := e.Docs.List(t.Context(), "name.", func(store.Doc) bool { n++; return true }); err != nil || n != many {
		t.Fatalf("%d listed, %v", n, err)
	}
	if sent := natsstore.Sent(e) - before; sent != 2 {
		t.Errorf("listing %d documents: %d messages in place of 2", many, sent)
	}
}
