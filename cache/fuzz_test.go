package cache_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/cache/cachetest"
	"github.com/chibi-host/chibi/internal/fuzztest"
)

// FuzzEntries holds that whatever the description and the index of an output are, it
// is read or said to be damaged, and the other outputs are there.
func FuzzEntries(f *testing.F) {
	f.Add([]byte(`{"id": "x", "size": 1}`), []byte(`{"every": 0, "lines": [1, 2]}`))
	f.Add([]byte(`[]`), []byte(`{"lines": -1, "offsets": [9999999999, -5]}`))
	f.Fuzz(func(t *testing.T, meta, index []byte) {
		fuzztest.Memory(t)
		dir := t.TempDir()
		c := cache.Open(dir)
		e, other := cachetest.Put(t, c, "tool", "one\ntwo\nthree\n"), cachetest.Put(t, c, "other", "four\n")
		for name, data := range map[string][]byte{e.ID + ".meta.json": meta, e.ID + ".index.json": index} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if text, err := c.Open(t.Context(), e.ID); err == nil {
			text.Lines(1, 3, 100)
			text.Tail(2, 100)
			text.Close()
		}
		if text, err := c.Open(t.Context(), other.ID); err != nil {
			t.Error(err)
		} else {
			text.Close()
		}
		if list, err := c.List(t.Context()); err != nil || len(list) == 0 {
			t.Errorf("listed are %v, %v", list, err)
		}
		if _, err := c.Clean(t.Context(), cache.Limits{MaxBytes: 1}); err != nil {
			t.Error(err)
		}
	})
}
