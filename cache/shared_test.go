package cache_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/cache/cachetest"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// work is the id of a context in a store.
const work = "0123456789abcdef0123456789abcdef"

// isWork is the id of a context that the store has.
func isWork(context.Context) (string, error) { return work, nil }

// A tool's output that one machine has put is read by another.
func ExampleOpenShared() {
	memory := storetest.NewMemory()
	open := func(dir string) cache.Cache { return cache.OpenShared(memory.Engine(store.Options{}), isWork, dir) }
	here, err := os.MkdirTemp("", "here")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(here)
	there := filepath.Join(here, "there")

	e, err := open(here).PutText("tests", nil, "ok\nFAIL\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := open(there).Open(context.Background(), e.ID)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	last, err := r.Tail(1, 1000)
	fmt.Println(last.Text, err)
	// Output: FAIL <nil>
}

// machine opens the outputs of a context on one more machine.
func machine(t *testing.T, m *storetest.Memory) *cache.Shared {
	t.Helper()
	return cache.OpenShared(m.Engine(store.Options{}), isWork, filepath.Join(t.TempDir(), "cache"))
}

// apart puts on one machine, and reads and cleans on another.
type apart struct {
	puts *cache.Shared
	*cache.Shared
}

func (a apart) SpillFile() (cache.Spill, error) { return a.puts.SpillFile() }

func (a apart) PutText(tool string, arguments []byte, text string) (cache.Entry, error) {
	e, err := a.puts.PutText(tool, arguments, text)
	e.Path = ""
	return e, err
}

func (a apart) PutFile(tool string, arguments []byte, file cache.Spilled) (cache.Entry, error) {
	e, err := a.puts.PutFile(tool, arguments, file)
	e.Path = ""
	return e, err
}

// List leaves out where this machine has copies.
func (a apart) List(ctx context.Context) ([]cache.Entry, error) {
	list, err := a.Shared.List(ctx)
	for i := range list {
		list[i].Path = ""
	}
	return list, err
}

func TestConformanceOfSharedOutputs(t *testing.T) {
	t.Run("one machine", func(t *testing.T) {
		cachetest.Run(t, func(t *testing.T) cache.Cache { return machine(t, storetest.NewMemory()) })
	})
	t.Run("put on one, read on another", func(t *testing.T) {
		cachetest.Run(t, func(t *testing.T) cache.Cache {
			m := storetest.NewMemory()
			return apart{machine(t, m), machine(t, m)}
		})
	})
	t.Run("of a context that is not stored yet", func(t *testing.T) {
		cachetest.Run(t, func(t *testing.T) cache.Cache {
			none := func(context.Context) (string, error) { return "", nil }
			return cache.OpenShared(storetest.NewMemory().Engine(store.Options{}), none, filepath.Join(t.TempDir(), "cache"))
		})
	})
}

func TestAnOutputIsListedReadAndSearchedOnAnotherMachine(t *testing.T) {
	m := storetest.NewMemory()
	here, there := machine(t, m), machine(t, m)
	put := cachetest.Put(t, here, "tool", cachetest.Numbered(5000))
	list, err := there.List(t.Context())
	if err != nil || len(list) != 1 || list[0].ID != put.ID || list[0].Path != "" {
		t.Fatalf("listed are %+v, %v", list, err)
	}
	r := cachetest.Open(t, there, put.ID)
	if lines, err := r.Lines(2049, 2049, 100); err != nil || lines.Text != "line 2049" {
		t.Errorf("%+v, %v", lines, err)
	}
	found, err := r.Grep(t.Context(), cache.Search{Pattern: regexp.MustCompile("line 4999$"), MaxBytes: 100})
	if err != nil || found.Text != ">4999:line 4999" {
		t.Errorf("%+v, %v", found, err)
	}
	list, err = there.List(t.Context())
	if err != nil || list[0].Path == "" {
		t.Fatalf("the copy has no path: %+v, %v", list, err)
	}
	if data, err := os.ReadFile(list[0].Path); err != nil || string(data) != cachetest.Numbered(5000) {
		t.Errorf("the copy has %d bytes, %v", len(data), err)
	}
}

func TestALargeOutputIsReadInPieces(t *testing.T) {
	m := storetest.NewMemory()
	here, there := machine(t, m), machine(t, m)
	text := strings.Repeat(strings.Repeat("0123456789", 100)+"\n", 70_000)
	e := cachetest.Put(t, here, "tool", text)
	r := cachetest.Open(t, there, e.ID)
	if lines, err := r.Lines(60_000, 60_000, 10); err != nil || lines.First != 60_000 || lines.Text != "0123456789" {
		t.Errorf("%+v, %v", lines, err)
	}
	if lines, err := r.Tail(1, 10); err != nil || lines.Last != 70_000 || r.Size() != int64(len(text)) {
		t.Errorf("%+v, %v; %d bytes", lines, err, r.Size())
	}
	if list, err := there.List(t.Context()); err != nil || list[0].Path != "" {
		t.Errorf("it was copied: %+v, %v", list, err)
	}
}

// raw changes what the store has.
type raw struct {
	*testing.T
	*store.Engine
}

func (r raw) doc(id string) store.Doc {
	r.Helper()
	d, err := r.Docs.Get(r.Context(), "out."+work+"."+id)
	if err != nil {
		r.Fatal(err)
	}
	return d
}

// describe changes the document of an output.
func (r raw) describe(id string, old, change string) {
	r.Helper()
	d := r.doc(id)
	text := strings.Replace(string(d.Data), old, change, 1)
	if text == string(d.Data) {
		r.Fatalf("%q is not in %s", old, text)
	}
	if _, err := r.Docs.Put(r.Context(), d.Key, []byte(text), d.Rev); err != nil {
		r.Fatal(err)
	}
}

// replace puts another blob in the place of an output.
func (r raw) replace(id, text string) {
	r.Helper()
	err := r.Blobs.Remove(r.Context(), work+"-"+id)
	if err == nil {
		_, err = r.Blobs.Put(r.Context(), work+"-"+id, strings.NewReader(text))
	}
	if err != nil {
		r.Fatal(err)
	}
}

func TestWhatTheStoreSaysIsChecked(t *testing.T) {
	for what, forge := range map[string]func(r raw, e cache.Entry){
		"another text":        func(r raw, e cache.Entry) { r.replace(e.ID, strings.Repeat("x", int(e.Bytes))) },
		"a shorter text":      func(r raw, e cache.Entry) { r.replace(e.ID, "line 1\n") },
		"no text":             func(r raw, e cache.Entry) { r.Blobs.Remove(r.Context(), work+"-"+e.ID) },
		"another hash":        func(r raw, e cache.Entry) { r.describe(e.ID, e.SHA256, strings.Repeat("0", 64)) },
		"no hash":             func(r raw, e cache.Entry) { r.describe(e.ID, e.SHA256, "") },
		"a path for an id":    func(r raw, e cache.Entry) { r.describe(e.ID, `"id":"`+e.ID, `"id":"../../x`) },
		"a negative size":     func(r raw, e cache.Entry) { r.describe(e.ID, `"byte_count":`, `"byte_count":-`) },
		"an enormous size":    func(r raw, e cache.Entry) { r.describe(e.ID, `"byte_count":`, `"byte_count":1`) },
		"too many lines":      func(r raw, e cache.Entry) { r.describe(e.ID, `"line_count":`, `"line_count":9`) },
		"an index beyond it":  func(r raw, e cache.Entry) { r.describe(e.ID, `"offsets":[0,`, `"offsets":[0,9`) },
		"an index of one":     func(r raw, e cache.Entry) { r.describe(e.ID, `"offsets":[0,`, `"offsets":[0],"x":[`) },
		"an index backward":   func(r raw, e cache.Entry) { r.describe(e.ID, `"offsets":[0,`, `"offsets":[0,-`) },
		"a document of noise": func(r raw, e cache.Entry) { r.describe(e.ID, `{`, `[[[[`) },
	} {
		t.Run(what, func(t *testing.T) {
			m := storetest.NewMemory()
			here, there := machine(t, m), machine(t, m)
			e := cachetest.Put(t, here, "tool", cachetest.Numbered(3000))
			other := cachetest.Put(t, here, "other", "whole\n")
			forge(raw{t, m.Engine(store.Options{})}, e)
			_, err := there.Open(t.Context(), e.ID)
			if !errors.Is(err, cache.ErrNotFound) || !strings.Contains(err.Error(), e.ID) {
				t.Errorf("opened: %v", err)
			}
			if got, err := io.ReadAll(cachetest.Open(t, there, other.ID).Content()); err != nil || string(got) != "whole\n" {
				t.Errorf("the other output is %q, %v", got, err)
			}
			if list, err := there.List(t.Context()); err != nil || len(list) == 0 {
				t.Errorf("listed are %v, %v", list, err)
			}
		})
	}
}

func TestACopyThatIsNotTheStoresIsNotRead(t *testing.T) {
	m := storetest.NewMemory()
	here, there := machine(t, m), machine(t, m)
	e := cachetest.Put(t, here, "tool", "right\n")
	cachetest.Open(t, there, e.ID)
	list, err := there.List(t.Context())
	if err != nil || list[0].Path == "" {
		t.Fatal(list, err)
	}
	if err := os.WriteFile(list[0].Path, []byte("wrong\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	os.Chtimes(list[0].Path, time.Unix(1, 0), time.Unix(1, 0))
	if got, err := io.ReadAll(cachetest.Open(t, there, e.ID).Content()); err != nil || string(got) != "right\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWhatOneMachineRemovesIsGoneOnOthers(t *testing.T) {
	m := storetest.NewMemory()
	here, there := machine(t, m), machine(t, m)
	first, second := cachetest.Put(t, here, "tool", "one\n"), cachetest.Put(t, here, "tool", "two\n")
	cachetest.Open(t, there, first.ID)
	isSecond := func(id string) bool { return id == second.ID }
	if n, err := here.Clean(t.Context(), cache.Limits{MaxAge: time.Nanosecond, Keep: isSecond}); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if _, err := there.Open(t.Context(), first.ID); !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("a removed output: %v", err)
	}
	cachetest.Open(t, there, second.ID)
	if err := there.Clear(); err != nil {
		t.Fatal(err)
	}
	r := raw{t, m.Engine(store.Options{})}
	if err := r.Blobs.List(t.Context(), "", func(b store.BlobInfo) bool {
		t.Errorf("left is the blob %s", b.Key)
		return true
	}); err != nil {
		t.Error(err)
	}
	if list, err := here.List(t.Context()); len(list) > 0 || err != nil {
		t.Errorf("listed are %v, %v", list, err)
	}
}

func TestCopiesAndBlobsThatBelongToNothingAreRemovedOnceTheyAreOld(t *testing.T) {
	m := storetest.NewMemory()
	here, there := machine(t, m), machine(t, m)
	kept, gone := cachetest.Put(t, here, "tool", "kept\n"), cachetest.Put(t, here, "tool", "gone\n")
	cachetest.Open(t, there, gone.ID)
	r := raw{t, m.Engine(store.Options{})}
	d := r.doc(gone.ID)
	if _, err := r.Docs.Put(t.Context(), d.Key, nil, d.Rev); err != nil {
		t.Fatal(err)
	}
	blobs := func() (keys []string) {
		err := r.Blobs.List(t.Context(), "", func(b store.BlobInfo) bool {
			keys = append(keys, b.Key)
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(keys)
		return keys
	}
	if n, err := there.Clean(t.Context(), cache.Limits{}); n != 0 || err != nil || len(blobs()) != 2 {
		t.Errorf("young: removed %d, %v, blobs %v", n, err, blobs())
	}
	m.Advance(-25 * time.Hour)
	r.replace(gone.ID, "gone\n")
	m.Advance(25 * time.Hour)
	n, err := there.Clean(t.Context(), cache.Limits{})
	if n != 0 || err != nil || !slices.Equal(blobs(), []string{work + "-" + kept.ID}) {
		t.Errorf("old: removed %d, %v, blobs %v", n, err, blobs())
	}
}

// TestAgesCountByTheStoresClock has an output of a machine whose clock is a day behind, and a machine
// whose clock is ahead.
func TestAgesCountByTheStoresClock(t *testing.T) {
	m := storetest.NewMemory()
	here := machine(t, m)
	e := cachetest.Put(t, here, "tool", "kept\n")
	r := raw{t, m.Engine(store.Options{})}
	d := r.doc(e.ID)
	old := strings.Replace(string(d.Data), fmt.Sprint(e.Timestamp), fmt.Sprint(e.Timestamp-86400), 1)
	if _, err := r.Docs.Put(t.Context(), d.Key, []byte(old), d.Rev); err != nil || old == string(d.Data) {
		t.Fatal(err)
	}
	if n, err := here.Clean(t.Context(), cache.Limits{MaxAge: time.Hour}); n != 0 || err != nil {
		t.Errorf("removed %d, %v", n, err)
	}
	ahead := m.Engine(store.Options{Now: func() time.Time { return time.Now().Add(2 * time.Hour) }})
	var wrong *store.ClockError
	_, err := cache.OpenShared(ahead, isWork, t.TempDir()).Clean(t.Context(), cache.Limits{MaxAge: time.Hour})
	if !errors.As(err, &wrong) {
		t.Errorf("a clock that is ahead: %v", err)
	}
	if _, _, err := cache.RemoveLeft(t.Context(), ahead); !errors.As(err, &wrong) {
		t.Errorf("a clock that is ahead: %v", err)
	}
	m.Advance(2 * time.Hour)
	if n, err := cache.OpenShared(ahead, isWork, t.TempDir()).Clean(t.Context(), cache.Limits{MaxAge: time.Hour}); n != 1 {
		t.Errorf("removed %d, %v", n, err)
	}
}

func TestAStoreThatDoesNotAnswerSavesNothing(t *testing.T) {
	e, dir := storetest.NewMemory().Engine(store.Options{}), filepath.Join(t.TempDir(), "cache")
	c := cache.OpenShared(e, isWork, dir)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := c.PutText("mytool", nil, "x")
	if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), `"mytool"`) {
		t.Errorf("%v", err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("left are %v, %v", names, err)
	}
	if _, err := c.Open(t.Context(), "tool_1_2"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	_, listed := c.List(t.Context())
	_, cleaned := c.Clean(t.Context(), cache.Limits{})
	for _, err := range []error{listed, cleaned, c.Clear()} {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%v", err)
		}
	}
}

func TestAnIDThatIsNoneIsNotAskedFor(t *testing.T) {
	forged := func(context.Context) (string, error) { return ">", nil }
	c := cache.OpenShared(storetest.NewMemory().Engine(store.Options{}), forged, t.TempDir())
	_, err := c.PutText("tool", nil, "x")
	if err == nil || !strings.Contains(err.Error(), `">" is not the id of a context`) {
		t.Errorf("%v", err)
	}
}
