package cache_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/cache/cachetest"
	"github.com/chibi-host/chibi/internal/fuzztest"
)

func TestConformance(t *testing.T) {
	cachetest.Run(t, func(t *testing.T) cache.Cache { return cache.Open(filepath.Join(t.TempDir(), "cache")) })
}

func TestDamageIsNotFound(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"changed": func(path string) error { return os.WriteFile(path, []byte("line 1\nline X\n"), 0o600) },
		"cut":     func(path string) error { return os.Truncate(path, 3) },
		"gone":    os.Remove,
		"no meta": func(path string) error { return os.Remove(strings.TrimSuffix(path, ".cache") + ".meta.json") },
		"bad meta": func(path string) error {
			return os.WriteFile(strings.TrimSuffix(path, ".cache")+".meta.json", []byte("{"), 0o600)
		},
		"a directory": func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			c := cache.Open(t.TempDir())
			e := cachetest.Put(t, c, "tool", cachetest.Numbered(2))
			cachetest.Open(t, c, e.ID)
			if err := damage(e.Path); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Open(t.Context(), e.ID); !errors.Is(err, cache.ErrNotFound) || !strings.Contains(err.Error(), e.ID) {
				t.Errorf("error = %v", err)
			}
		})
	}
}

// TestADescriptionOfAnotherEntryIsNone: a file that was copied or renamed is not the entry that
// its name says, and the one that it is about stays.
func TestADescriptionOfAnotherEntryIsNone(t *testing.T) {
	c := cache.Open(t.TempDir())
	e := cachetest.Put(t, c, "tool", cachetest.Numbered(2))
	const other = "tool_00000000_00000000"
	for _, ending := range []string{".cache", ".meta.json", ".index.json"} {
		from := strings.TrimSuffix(e.Path, ".cache") + ending
		if err := os.Link(from, strings.Replace(from, e.ID, other, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Open(t.Context(), other); !errors.Is(err, cache.ErrNotFound) || !strings.Contains(err.Error(), other) {
		t.Errorf("error = %v", err)
	}
	if list, err := c.List(t.Context()); err != nil || len(list) != 1 || list[0].ID != e.ID {
		t.Errorf("list = %+v, %v", list, err)
	}
	cachetest.Open(t, c, e.ID)
}

func TestALostIndexIsRebuilt(t *testing.T) {
	dir := t.TempDir()
	c := cache.Open(dir)
	e := cachetest.Put(t, c, "tool", cachetest.Numbered(5000))
	if err := os.Remove(filepath.Join(dir, e.ID+".index.json")); err != nil {
		t.Fatal(err)
	}
	p, err := cachetest.Open(t, c, e.ID).Lines(4000, 4000, 100)
	if err != nil || p.Text != "line 4000" {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestAnEntryOfTheOriginalIsRead(t *testing.T) {
	dir := t.TempDir()
	c := cache.Open(dir)
	meta := `{"id":"big_6b00d3e6_3cd3d7fe","tool_name":"big","timestamp":1795000000,"args_hash":"00","char_count":10,` +
		`"token_estimate":2,"line_count":2}`
	for name, text := range map[string]string{"big_6b00d3e6_3cd3d7fe.meta.json": meta,
		"big_6b00d3e6_3cd3d7fe.cache": "é one\ntwo"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if p, err := cachetest.Open(t, c, "big_6b00d3e6_3cd3d7fe").Tail(1, 100); err != nil || p.Text != "two" {
		t.Errorf("%+v, %v", p, err)
	}
	if list, err := c.List(t.Context()); err != nil || len(list) != 1 || list[0].Bytes != 10 {
		t.Errorf("list = %+v, %v", list, err)
	}
}

// TestAnEntryIsReadWhereItsIndexCannotBeWritten has a directory in the place of the index,
// which fails for every user, as a home that is read-only or full does.
func TestAnEntryIsReadWhereItsIndexCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	c := cache.Open(dir)
	e := cachetest.Put(t, c, "tool", "one\ntwo")
	index := filepath.Join(dir, e.ID+".index.json")
	if err := errors.Join(os.Remove(index), os.Mkdir(index, 0o700)); err != nil {
		t.Fatal(err)
	}
	if p, err := cachetest.Open(t, c, e.ID).Tail(1, 100); err != nil || p.Text != "two" || p.Last != 2 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestCleaningRemovesWhatCrashesHaveLeft(t *testing.T) {
	dir := t.TempDir()
	c := cache.Open(dir)
	cachetest.Put(t, c, "tool", "x")
	old := time.Now().Add(-3 * time.Hour)
	for _, name := range []string{".spool-1", "x_1_2.cache"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte("left"), 0o600), os.Chtimes(path, old, old)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".spool-2"), []byte("in progress"), 0o600); err != nil {
		t.Fatal(err)
	}
	if removed, err := c.Clean(t.Context(), cache.Limits{}); err != nil || removed != 0 {
		t.Errorf("removed %d, %v", removed, err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, ".spool*"))
	orphan, _ := filepath.Glob(filepath.Join(dir, "x_*"))
	if len(names) != 1 || len(orphan) != 0 {
		t.Errorf("left: %q %q", names, orphan)
	}
	if list, err := c.List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("list = %v, %v", list, err)
	}
}

// FuzzPieces holds that whatever lies in an output, it can be read piece by
// piece, and the pieces are the whole.
func FuzzPieces(f *testing.F) {
	f.Add([]byte("a\nb\n"))
	f.Add([]byte("\n\n\xff\x00é"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzztest.Memory(t)
		c := cache.Open(t.TempDir())
		e := cachetest.Put(t, c, "tool", string(data))
		text := cachetest.Open(t, c, e.ID)
		var parts []string
		for n := 1; n <= e.Lines; n++ {
			p, err := text.Lines(n, n, 1<<20)
			if err != nil || p.Last != n {
				t.Fatalf("line %d of %d: %+v, %v", n, e.Lines, p, err)
			}
			parts = append(parts, p.Text)
		}
		want := strings.ToValidUTF8(strings.TrimSuffix(string(data), "\n"), "\uFFFD")
		if got := strings.Join(parts, "\n"); strings.Count(got, "\n") != strings.Count(want, "\n") {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func Example() {
	dir, _ := os.MkdirTemp("", "cache")
	defer os.RemoveAll(dir)
	c := cache.Open(dir)
	e, err := c.PutText("fetch", []byte(`{"url":"http://x.y"}`), cachetest.Numbered(5000))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := c.Open(context.Background(), e.ID)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer text.Close()
	p, _ := text.Lines(4000, 4001, 1000)
	fmt.Println(e.Lines, "lines")
	fmt.Println(p.Text)
	// Output:
	// 5000 lines
	// line 4000
	// line 4001
}
