//go:build unix

package pgstore_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/store"
)

func TestEachOperationDoesWhatItSays(t *testing.T) {
	ctx := t.Context()
	url := home(t, server(t), "each")
	e, other := open(t, store.Options{URL: url}), open(t, store.Options{URL: url})
	rev, err := e.Docs.Put(ctx, "name.work", []byte("hello"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Docs.Put(ctx, "name.work", []byte("x"), 0); !errors.Is(err, store.ErrConflict) {
		t.Error(err)
	}
	next, err := e.Docs.Put(ctx, "name.work", []byte("again"), rev)
	if err != nil || next <= rev {
		t.Error(next, err)
	}
	if d, err := other.Docs.Get(ctx, "name.work"); err != nil || d.Rev != next || string(d.Data) != "again" {
		t.Error(d, err)
	}
	n := 0
	if err := e.Docs.List(ctx, "", func(d store.Doc) bool { n++; return true }); err != nil || n != 2 {
		t.Error(n, err)
	}
	if _, err := e.Docs.Put(ctx, "name.work", nil, next); err != nil {
		t.Error(err)
	}
	tail := store.Tail{}
	for _, id := range []string{"a", "b", "c"} {
		before := tail
		if tail, err = e.Log.Append(ctx, "talk", before, store.Record{ID: id, Data: []byte(id),
			Begins: id == "b"}); err != nil {
			t.Fatal(err)
		}
		if again, err := e.Log.Append(ctx, "talk", before, store.Record{ID: id, Data: []byte(id)}); err != nil ||
			again != tail {
			t.Error(again, tail, err)
		}
		if _, err := e.Log.Append(ctx, "talk", before, store.Record{ID: id + "x"}); !errors.Is(err, store.ErrConflict) {
			t.Error(err)
		}
	}
	var all string
	if err := e.Log.Read(ctx, "talk", store.Range{Backward: true}, func(r store.Record) bool {
		all += r.ID
		return true
	}); err != nil || all != "cba" {
		t.Error(all, err)
	}
	if err := e.Log.Read(ctx, "talk", store.Range{First: tail.Window, Last: tail.Last}, func(r store.Record) bool {
		all += r.ID
		return true
	}); err != nil || all != "cbabc" {
		t.Error(all, err)
	}
	if now, err := e.Log.Tail(ctx, "talk"); err != nil || now != tail || tail.Count != 3 {
		t.Error(now, err)
	}
	if err := e.Log.Remove(ctx, "talk"); err != nil {
		t.Error(err)
	}
	for _, size := range []int{0, 100, 1 << 20, 3<<20 + 7} {
		value := bytes.Repeat([]byte("0123456789abcde"), size/15+1)[:size]
		key := "b" + strings.Repeat("x", size%11)
		if n, err := e.Blobs.Put(ctx, key, bytes.NewReader(value)); err != nil || n != int64(size) {
			t.Error(n, err)
		}
		if _, err := e.Blobs.Put(ctx, key, bytes.NewReader(value)); !errors.Is(err, store.ErrConflict) {
			t.Error(err)
		}
		b, err := other.Blobs.Open(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(io.NewSectionReader(b, 0, b.Size()))
		if err != nil || !bytes.Equal(got, value) {
			t.Error(len(got), err)
		}
		e.Blobs.Remove(ctx, key)
	}
	l, err := e.Leases.Take(ctx, "work", []byte("me"))
	if err != nil || !l.Fresh() {
		t.Fatal(err)
	}
	var held *store.HeldError
	if _, err := other.Leases.Take(ctx, "work", nil); !errors.As(err, &held) || string(held.Holder) != "me" ||
		time.Until(held.Expires) < 20*time.Second {
		t.Error(err, held)
	}
	if err := e.Leases.Held(ctx, "", func(key string, h store.HeldError) bool {
		return key == "work" && string(h.Holder) == "me"
	}); err != nil {
		t.Error(err)
	}
	if err := l.Release(ctx); err != nil {
		t.Error(err)
	}
	puts, err := e.Watch(ctx, "mail.")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Docs.Put(ctx, "mail.a.b", []byte("x"), 0); err != nil {
		t.Error(err)
	}
	<-puts
	s, err := e.Status(ctx)
	if err != nil || !s.Push || len(s.Warnings) > 0 || s.Format != store.Format || len(s.Parts) != 6 {
		t.Errorf("%+v, %v", s, err)
	}
}
