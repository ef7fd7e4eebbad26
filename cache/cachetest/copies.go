package cachetest

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/cache"
)

// Copies tests that outputs are copied from files to a cache and back. open makes an empty
// cache, which may hold at least 16 MiB.
func Copies(t *testing.T, open func(t *testing.T) cache.Cache) {
	dir, between := t.TempDir(), open(t)
	from, to := cache.Open(filepath.Join(dir, "from")), cache.Open(filepath.Join(dir, "to"))
	want := map[string]string{}
	for _, text := range []string{"", "one\ntwo\n", "\xff\x00", Numbered(200_000), strings.Repeat("日", 100_000)} {
		want[Put(t, from, "tool", text).ID] = text
	}
	for _, pair := range [][2]cache.Cache{{from, between}, {between, to}} {
		if n, err := cache.Copy(t.Context(), pair[0], pair[1]); n != len(want) || err != nil {
			t.Fatalf("copied %d, %v", n, err)
		}
		if n, err := cache.Copy(t.Context(), pair[0], pair[1]); n != 0 || err != nil {
			t.Fatalf("copied %d again, %v", n, err)
		}
	}
	first, err := from.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []cache.Cache{between, to} {
		list, err := c.List(t.Context())
		if err != nil || len(list) != len(want) {
			t.Fatalf("list = %v, %v", list, err)
		}
		for i, e := range list {
			first[i].Path, e.Path = "", ""
			if e != first[i] {
				t.Errorf("the copy is %+v, want %+v", e, first[i])
			}
			text, err := io.ReadAll(Open(t, c, e.ID).Content())
			if err != nil || string(text) != want[e.ID] {
				t.Errorf("%s has %d bytes of %d, %v", e.ID, len(text), len(want[e.ID]), err)
			}
			if err := cache.Verify(t.Context(), c, e); err != nil {
				t.Error(err)
			}
			e.SHA256 = strings.Repeat("0", 64)
			if err := cache.Verify(t.Context(), c, e); !errors.Is(err, cache.ErrNotFound) {
				t.Errorf("another hash: %v", err)
			}
		}
	}
}
