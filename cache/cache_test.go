package cache_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/google/go-cmp/cmp"
)

// put caches a text.
func put(t testing.TB, c *cache.Cache, tool, text string) cache.Entry {
	t.Helper()
	path, err := c.Write(text)
	if err != nil {
		t.Fatal(err)
	}
	e, err := c.Put(tool, []byte(`{"a":1}`), path)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// lines is a text of numbered lines.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func open(t testing.TB, c *cache.Cache, id string) *cache.Text {
	t.Helper()
	text, err := c.Text(id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { text.Close() })
	return text
}

func TestSizes(t *testing.T) {
	c := cache.Open(t.TempDir())
	for _, test := range []struct {
		text         string
		chars, lines int
		binary       bool
	}{
		{"a\nb\n", 4, 2, false}, {"a\nb", 3, 2, false}, {"é日\n", 3, 1, false},
		{"\xff\xfe", 2, 1, true}, {"a\x00b", 3, 1, true},
		{"\n\n", 2, 2, false}, {strings.Repeat("日", 100_000), 100_000, 1, false}, {lines(1024), 9133, 1024, false},
	} {
		e := put(t, c, "tool", test.text)
		if e.Chars != test.chars || e.Lines != test.lines || e.Binary != test.binary || e.Bytes != int64(len(test.text)) {
			t.Errorf("%.20q: %+v", test.text, e)
		}
	}
}

func TestIDsAreUniqueAndSafe(t *testing.T) {
	c := cache.Open(t.TempDir())
	seen := map[string]bool{}
	for i := range 20 {
		e := put(t, c, "../we ird/tøøl", "x")
		if seen[e.ID] || !regexp.MustCompile(`^---we-ird-t--l_[0-9a-f]+_[0-9a-f]{8}$`).MatchString(e.ID) {
			t.Errorf("id %d: %q", i, e.ID)
		}
		seen[e.ID] = true
	}
	if e := put(t, c, strings.Repeat("x", 300), "x"); len(e.ID) > 100 {
		t.Errorf("id %q", e.ID)
	}
	for _, id := range []string{"", ".", "../x", "/etc/passwd", "a/b", "a.cache", strings.Repeat("x", 300)} {
		if _, err := c.Text(id); !errors.Is(err, cache.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
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
		"a folder?": func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			c := cache.Open(t.TempDir())
			e := put(t, c, "tool", lines(2))
			open(t, c, e.ID)
			if err := damage(c.Path(e.ID)); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Text(e.ID); !errors.Is(err, cache.ErrNotFound) || !strings.Contains(err.Error(), e.ID) {
				t.Errorf("error = %v", err)
			}
		})
	}
}

func TestALostIndexIsMadeAnew(t *testing.T) {
	c := cache.Open(t.TempDir())
	e := put(t, c, "tool", lines(5000))
	if err := os.Remove(filepath.Join(c.Dir(), e.ID+".index.json")); err != nil {
		t.Fatal(err)
	}
	p, err := open(t, c, e.ID).Lines(4000, 4000, 100)
	if err != nil || p.Text != "line 4000" {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestAnEntryOfTheOriginalIsRead(t *testing.T) {
	c := cache.Open(t.TempDir())
	meta := `{"id":"big_6b00d3e6_3cd3d7fe","tool_name":"big","timestamp":1795000000,"args_hash":"00","char_count":10,` +
		`"token_estimate":2,"line_count":2}`
	for name, text := range map[string]string{"big_6b00d3e6_3cd3d7fe.meta.json": meta,
		"big_6b00d3e6_3cd3d7fe.cache": "é one\ntwo"} {
		if err := os.WriteFile(filepath.Join(c.Dir(), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if p, err := open(t, c, "big_6b00d3e6_3cd3d7fe").Tail(1, 100); err != nil || p.Text != "two" {
		t.Errorf("%+v, %v", p, err)
	}
	if list, err := c.List(); err != nil || len(list) != 1 || list[0].Bytes != 10 {
		t.Errorf("list = %+v, %v", list, err)
	}
}

func TestPieces(t *testing.T) {
	c := cache.Open(t.TempDir())
	text := open(t, c, put(t, c, "tool", lines(5000)).ID)
	for _, test := range []struct {
		name string
		read func() (cache.Piece, error)
		want cache.Piece
	}{
		{"head", func() (cache.Piece, error) { return text.Head(2, 100) },
			cache.Piece{Text: "line 1\nline 2", First: 1, Last: 2, More: true}},
		{"bounded", func() (cache.Piece, error) { return text.Head(50, 20) },
			cache.Piece{Text: "line 1\nline 2\nline 3", First: 1, Last: 3, More: true}},
		{"middle", func() (cache.Piece, error) { return text.Lines(2049, 2050, 100) },
			cache.Piece{Text: "line 2049\nline 2050", First: 2049, Last: 2050, More: true}},
		{"end", func() (cache.Piece, error) { return text.Lines(4999, 6000, 100) },
			cache.Piece{Text: "line 4999\nline 5000", First: 4999, Last: 5000}},
		{"beyond", func() (cache.Piece, error) { return text.Lines(6000, 6001, 100) }, cache.Piece{First: 6000}},
		{"tail", func() (cache.Piece, error) { return text.Tail(2, 100) },
			cache.Piece{Text: "line 4999\nline 5000", First: 4999, Last: 5000}},
		{"long line", func() (cache.Piece, error) { return text.Head(1, 4) },
			cache.Piece{Text: "line", First: 1, Last: 1, Cut: true, More: true}},
		{"long tail", func() (cache.Piece, error) { return text.Tail(5000, 10) },
			cache.Piece{Text: "line 5000", First: 5000, Last: 5000, Cut: true}},
	} {
		got, err := test.read()
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", test.name, err, diff)
		}
	}
}

func TestGrep(t *testing.T) {
	c := cache.Open(t.TempDir())
	text := open(t, c, put(t, c, "tool", "a\nb match\nc\nd match\ne\nf\ng\nh match\n").ID)
	for _, test := range []struct {
		before, after, max int
		want               cache.Found
	}{
		{0, 0, 1000, cache.Found{Text: ">2:b match\n--\n>4:d match\n--\n>8:h match", Matches: 3}},
		{1, 1, 1000, cache.Found{Text: " 1:a\n>2:b match\n 3:c\n>4:d match\n 5:e\n--\n 7:g\n>8:h match", Matches: 3}},
		{2, 0, 1000, cache.Found{Text: " 1:a\n>2:b match\n 3:c\n>4:d match\n--\n 6:f\n 7:g\n>8:h match", Matches: 3}},
		{0, 0, 12, cache.Found{Text: ">2:b match\n--", Matches: 1, StoppedAt: 4}},
	} {
		got, err := text.Grep(t.Context(), cache.Search{Pattern: regexp.MustCompile("match"), Before: test.before,
			After: test.after, MaxBytes: test.max})
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%d, %d: %v (-want +got):\n%s", test.before, test.after, err, diff)
		}
	}
	long := open(t, c, put(t, c, "tool", lines(5000)).ID)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := long.Grep(ended, cache.Search{Pattern: regexp.MustCompile("x"), MaxBytes: 10}); got.StoppedAt != 1024 ||
		err != nil {
		t.Errorf("called off: %+v, %v", got, err)
	}
}

func TestClean(t *testing.T) {
	c := cache.Open(t.TempDir())
	var ids []string
	for i := range 4 {
		e := put(t, c, fmt.Sprintf("t%d", i), lines(10))
		ids = append(ids, e.ID)
	}
	old := time.Now().Add(-3 * time.Hour)
	for _, name := range []string{".spool-1", "x_1_2.cache"} {
		path := filepath.Join(c.Dir(), name)
		if err := os.WriteFile(path, []byte("left"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(c.Dir(), ".spool-2"), []byte("in progress"), 0o600); err != nil {
		t.Fatal(err)
	}
	removed, err := c.Clean(cache.Limits{MaxBytes: 75, Keep: func(id string) bool { return id == ids[0] || id == ids[3] }})
	if err != nil || removed != 2 {
		t.Errorf("removed %d, %v", removed, err)
	}
	names, _ := filepath.Glob(filepath.Join(c.Dir(), ".spool*"))
	orphan, _ := filepath.Glob(filepath.Join(c.Dir(), "x_*"))
	if len(names) != 1 || len(orphan) != 0 {
		t.Errorf("left: %q %q", names, orphan)
	}
	if list, err := c.List(); err != nil || len(list) != 2 {
		t.Errorf("list = %v, %v", list, err)
	}
	if removed, err := c.Clean(cache.Limits{MaxBytes: 1, MinAge: time.Hour}); err != nil || removed != 0 {
		t.Errorf("young ones: removed %d, %v", removed, err)
	}
	if removed, err := c.Clean(cache.Limits{MaxAge: time.Nanosecond}); err != nil || removed != 2 {
		t.Errorf("by age: removed %d, %v", removed, err)
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
		e := put(t, c, "tool", string(data))
		text := open(t, c, e.ID)
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
	path, err := c.Write(lines(5000))
	if err != nil {
		fmt.Println(err)
		return
	}
	e, _ := c.Put("fetch", []byte(`{"url":"http://x.y"}`), path)
	text, err := c.Text(e.ID)
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
