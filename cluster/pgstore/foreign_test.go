//go:build unix

package pgstore_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/store"
)

// TestALeaseThatCannotEnd, because somebody has written so, is named with its holder and can be
// ended.
func TestALeaseThatCannotEnd(t *testing.T) {
	ctx, s := t.Context(), server(t)
	e := open(t, store.Options{URL: home(t, s, "endless")})
	run(t, s, `insert into chibi_endless.lease (key, token, fresh, holder, expires)
		values ('work', 'x', false, convert_to('me' || repeat('!', 1000000), 'UTF8'), 'infinity')`)
	var held *store.HeldError
	_, err := e.Leases.Take(ctx, "work", nil)
	if !errors.As(err, &held) || !strings.HasPrefix(string(held.Holder), "me!") || len(held.Holder) > store.MaxHolder ||
		time.Until(held.Expires) < 24*time.Hour {
		t.Errorf("%.200v", err)
	}
	found := ""
	err = e.Leases.Held(ctx, "", func(key string, h store.HeldError) bool {
		found += key + string(h.Holder[:2])
		return true
	})
	if err != nil || found != "workme" {
		t.Errorf("%q, %v", found, err)
	}
	if err := e.Leases.Break(ctx, "work"); err != nil {
		t.Error(err)
	}
	if l, err := e.Leases.Take(ctx, "work", nil); err != nil || l.Fresh() {
		t.Error(l, err)
	}
}

// TestRowsThatChibiWouldNotWrite are errors, not positions that something is done with.
func TestRowsThatChibiWouldNotWrite(t *testing.T) {
	ctx, s := t.Context(), server(t)
	e := open(t, store.Options{URL: home(t, s, "forged")})
	run(t, s, `insert into chibi_forged.log values ('talk', -5, 0, -5, -1, 'id', true, 'infinity', '')`,
		`insert into chibi_forged.doc values ('a', -1, '', '')`,
		`insert into chibi_forged.blob values ('x', 'negative', -1, now()), ('y', 'empty', 1000, now()), ('z', 'late', 1,
			'infinity')`)
	_, tail := e.Log.Tail(ctx, "talk")
	_, get := e.Docs.Get(ctx, "a")
	_, negative := e.Blobs.Open(ctx, "negative")
	empty, err := e.Blobs.Open(ctx, "empty")
	if err != nil {
		t.Fatal(err)
	}
	_, hole := empty.ReadAt(make([]byte, 10), 0)
	for name, err := range map[string]error{"tail": tail, "get": get, "blob": negative, "hole": hole} {
		if err == nil || errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := e.Blobs.List(ctx, "", func(store.BlobInfo) bool { return true }); err == nil {
		t.Error("a blob of a negative size is listed")
	}
}
