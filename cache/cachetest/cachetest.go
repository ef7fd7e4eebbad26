// Package cachetest is the conformance suite of caches: [Run] tests what every
// [cache.Cache] promises, wherever it keeps outputs. It is for tests only.
package cachetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cache"
)

// Run runs the suite. open makes an empty cache, which may hold at least 16 MiB.
func Run(t *testing.T, open func(t *testing.T) cache.Cache) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, c cache.Cache)
	}{
		{"sizes", sizes}, {"ids", ids}, {"unknown ids", unknown}, {"files", files}, {"what cannot be saved", notSaved},
		{"list", list}, {"lines", pieces}, {"grep", grep}, {"whole", whole}, {"clean", clean}, {"clear", removeAll},
		{"many at once", concurrent},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

// Numbered returns a text of numbered lines.
func Numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

// Put saves a text.
func Put(t testing.TB, c cache.Saver, tool, text string) cache.Entry {
	t.Helper()
	e, err := c.PutText(tool, []byte(`{"a":1}`), text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Open opens an entry for the rest of the test.
func Open(t testing.TB, c cache.Browser, id string) *cache.Reader {
	t.Helper()
	r, err := c.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func sizes(t *testing.T, c cache.Cache) {
	for _, test := range []struct {
		text         string
		chars, lines int
		binary       bool
	}{
		{"", 0, 0, false}, {"a\nb\n", 4, 2, false}, {"a\nb", 3, 2, false}, {"é日\n", 3, 1, false},
		{"\xff\xfe", 2, 1, true}, {"a\x00b", 3, 1, true}, {"\n\n", 2, 2, false},
		{strings.Repeat("日", 100_000), 100_000, 1, false}, {Numbered(1024), 9133, 1024, false},
	} {
		e := Put(t, c, "tool", test.text)
		if e.Chars != test.chars || e.Tokens != test.chars/4 || e.Lines != test.lines || e.Binary != test.binary ||
			e.Bytes != int64(len(test.text)) {
			t.Errorf("%.20q: %+v", test.text, e)
		}
		if size := Open(t, c, e.ID).Size(); size != e.Bytes {
			t.Errorf("%.20q: the reader has %d bytes", test.text, size)
		}
	}
}

func ids(t *testing.T, c cache.Cache) {
	seen := map[string]bool{}
	for i := range 20 {
		e := Put(t, c, "../we ird/tøøl", "x")
		if seen[e.ID] || !regexp.MustCompile(`^---we-ird-t--l_[0-9a-f]+_[0-9a-f]{8}$`).MatchString(e.ID) {
			t.Errorf("id %d: %q", i, e.ID)
		}
		seen[e.ID] = true
	}
	if e := Put(t, c, strings.Repeat("x", 300), "x"); len(e.ID) > 100 {
		t.Errorf("id %q", e.ID)
	}
}

func unknown(t *testing.T, c cache.Cache) {
	for _, id := range []string{"", ".", "../x", "/etc/passwd", "a/b", "a.cache", "x_1_2", strings.Repeat("x", 300)} {
		if _, err := c.Open(t.Context(), id); !errors.Is(err, cache.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if list, err := c.List(t.Context()); len(list) > 0 || err != nil {
		t.Errorf("list of an empty cache = %v, %v", list, err)
	}
	if removed, err := c.Clean(t.Context(), cache.Limits{MaxBytes: 1}); removed > 0 || err != nil {
		t.Errorf("cleaning an empty cache removed %d, %v", removed, err)
	}
	if err := c.Clear(); err != nil {
		t.Error(err)
	}
}

// spill returns a file of the cache with a text.
func spill(t *testing.T, c cache.Cache, text string) cache.Spill {
	t.Helper()
	f, err := c.SpillFile()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(f.Name()) })
	info, err := os.Stat(f.Name())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
	_, err = io.WriteString(f, text)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return f
}

func files(t *testing.T, c cache.Cache) {
	text := Numbered(5000)
	e, err := c.PutFile("tool", nil, spill(t, c, text))
	if err != nil {
		t.Fatal(err)
	}
	same := Put(t, c, "tool", text)
	if e.SHA256 != same.SHA256 || e.Lines != 5000 || e.Tool != "tool" || e.ArgsHash == same.ArgsHash {
		t.Errorf("of a file: %+v; of its text: %+v", e, same)
	}
	if p, err := Open(t, c, e.ID).Tail(1, 100); err != nil || p.Text != "line 5000" {
		t.Errorf("%+v, %v", p, err)
	}
	if e.Path == "" {
		return
	}
	if data, err := os.ReadFile(e.Path); err != nil || string(data) != text {
		t.Errorf("Path has %d bytes, %v", len(data), err)
	}
}

func notSaved(t *testing.T, c cache.Cache) {
	file := spill(t, c, "x")
	if err := os.Remove(file.Name()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.PutFile("mytool", nil, file); err == nil || !strings.Contains(err.Error(), `"mytool"`) {
		t.Errorf("a file that is not there: %v", err)
	}
	if list, err := c.List(t.Context()); len(list) > 0 || err != nil {
		t.Errorf("list = %v, %v", list, err)
	}
}

func list(t *testing.T, c cache.Cache) {
	want := map[string]cache.Entry{}
	for i := range 5 {
		e := Put(t, c, "tool", Numbered(i))
		want[e.ID] = e
	}
	list, err := c.List(t.Context())
	if err != nil || len(list) != len(want) {
		t.Fatalf("list = %v, %v", list, err)
	}
	for _, e := range list {
		if e != want[e.ID] || time.Since(e.Time()) > time.Hour {
			t.Errorf("listed is %+v, saved was %+v", e, want[e.ID])
		}
	}
	if !slices.IsSortedFunc(list, func(a, b cache.Entry) int { return int(b.Timestamp - a.Timestamp) }) {
		t.Errorf("not the newest first: %v", list)
	}
}

func pieces(t *testing.T, c cache.Cache) {
	text := Open(t, c, Put(t, c, "tool", Numbered(5000)).ID)
	for _, test := range []struct {
		name string
		read func() (cache.Lines, error)
		want cache.Lines
	}{
		{"head", func() (cache.Lines, error) { return text.Head(2, 100) },
			cache.Lines{Text: "line 1\nline 2", First: 1, Last: 2, More: true}},
		{"bounded", func() (cache.Lines, error) { return text.Head(50, 20) },
			cache.Lines{Text: "line 1\nline 2\nline 3", First: 1, Last: 3, More: true}},
		{"middle", func() (cache.Lines, error) { return text.Lines(2049, 2050, 100) },
			cache.Lines{Text: "line 2049\nline 2050", First: 2049, Last: 2050, More: true}},
		{"end", func() (cache.Lines, error) { return text.Lines(4999, 6000, 100) },
			cache.Lines{Text: "line 4999\nline 5000", First: 4999, Last: 5000}},
		{"beyond", func() (cache.Lines, error) { return text.Lines(6000, 6001, 100) }, cache.Lines{First: 6000}},
		{"tail", func() (cache.Lines, error) { return text.Tail(2, 100) },
			cache.Lines{Text: "line 4999\nline 5000", First: 4999, Last: 5000}},
		{"long line", func() (cache.Lines, error) { return text.Head(1, 4) },
			cache.Lines{Text: "line", First: 1, Last: 1, Cut: true, More: true}},
		{"long tail", func() (cache.Lines, error) { return text.Tail(5000, 10) },
			cache.Lines{Text: "line 5000", First: 5000, Last: 5000, Cut: true}},
	} {
		if got, err := test.read(); got != test.want || err != nil {
			t.Errorf("%s: %+v, %v; want %+v", test.name, got, err, test.want)
		}
	}
	if preview, err := text.Preview(16); preview != "line 1\nline 2" || err != nil {
		t.Errorf("preview = %q, %v", preview, err)
	}
}

func grep(t *testing.T, c cache.Cache) {
	text := Open(t, c, Put(t, c, "tool", "a\nb match\nc\nd match\ne\nf\ng\nh match\n").ID)
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
		if got != test.want || err != nil {
			t.Errorf("%d, %d: %+v, %v; want %+v", test.before, test.after, got, err, test.want)
		}
	}
	long := Open(t, c, Put(t, c, "tool", Numbered(5000)).ID)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := long.Grep(ended, cache.Search{Pattern: regexp.MustCompile("x"), MaxBytes: 10}); got.StoppedAt != 1024 ||
		err != nil {
		t.Errorf("called off: %+v, %v", got, err)
	}
}

func whole(t *testing.T, c cache.Cache) {
	for _, want := range []string{"", "a\xff\x00b", strings.Repeat("é\n", 1<<20)} {
		r := Open(t, c, Put(t, c, "tool", want).ID)
		for range 2 {
			if got, err := io.ReadAll(r.Content()); err != nil || string(got) != want {
				t.Errorf("read %d bytes of %d, %v", len(got), len(want), err)
			}
		}
	}
}

// clean asks for nothing that depends on which entry is older: an entry's time is in
// whole seconds, and these may or may not have been saved within one.
func clean(t *testing.T, c cache.Cache) {
	var ids []string
	for i := range 4 {
		ids = append(ids, Put(t, c, fmt.Sprintf("t%d", i), Numbered(10)).ID)
	}
	keep := func(id string) bool { return id == ids[0] || id == ids[3] }
	for _, test := range []struct {
		name    string
		limits  cache.Limits
		removed int
	}{
		{"no limits", cache.Limits{}, 0},
		{"by size, all fit", cache.Limits{MaxBytes: 4 * 71}, 0},
		{"by size, some are kept", cache.Limits{MaxBytes: 70, Keep: keep}, 2},
		{"young ones", cache.Limits{MaxBytes: 1, MinAge: time.Hour}, 0},
		{"by age, none is old", cache.Limits{MaxAge: time.Hour}, 0},
		{"by age", cache.Limits{MaxAge: time.Nanosecond}, 2},
	} {
		if removed, err := c.Clean(t.Context(), test.limits); removed != test.removed || err != nil {
			t.Errorf("%s: removed %d, %v; want %d", test.name, removed, err, test.removed)
		}
		if _, err := c.Open(t.Context(), ids[1]); test.removed > 0 && !errors.Is(err, cache.ErrNotFound) {
			t.Errorf("%s: a removed entry: %v", test.name, err)
		}
	}
	if list, err := c.List(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("left: %v, %v", list, err)
	}
}

func removeAll(t *testing.T, c cache.Cache) {
	id := Put(t, c, "tool", "x").ID
	if err := c.Clear(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Open(t.Context(), id); !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("a removed entry: %v", err)
	}
	Put(t, c, "tool", "the cache can be used again")
}

func concurrent(t *testing.T, c cache.Cache) {
	var workers sync.WaitGroup
	for i := range 8 {
		workers.Go(func() {
			for n := range 5 {
				text := strings.Repeat(fmt.Sprintln(i, n), 100)
				e, err := c.PutText("tool", nil, text)
				if err != nil {
					t.Error(err)
					return
				}
				r, err := c.Open(t.Context(), e.ID)
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := io.ReadAll(r.Content()); err != nil || string(got) != text {
					t.Errorf("read %d bytes of %d, %v", len(got), len(text), err)
				}
				r.Close()
				c.List(t.Context())
			}
		})
	}
	workers.Wait()
	if list, err := c.List(t.Context()); err != nil || len(list) != 40 {
		t.Errorf("%d are listed, %v", len(list), err)
	}
}
