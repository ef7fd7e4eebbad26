package cache_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/cache/cachetest"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

func TestCopies(t *testing.T) {
	t.Run("files", func(t *testing.T) {
		cachetest.Copies(t, func(t *testing.T) cache.Cache { return cache.Open(t.TempDir()) })
	})
	t.Run("a shared store", func(t *testing.T) {
		cachetest.Copies(t, func(t *testing.T) cache.Cache { return machine(t, storetest.NewMemory()) })
	})
}

// TestACopyThatDiedIsFinished: its machine put the output, and not what describes it.
func TestACopyThatDiedIsFinished(t *testing.T) {
	m, from := storetest.NewMemory(), cache.Open(t.TempDir())
	e := cachetest.Put(t, from, "tool", "whole\n")
	if _, err := m.Engine(store.Options{}).Blobs.Put(t.Context(), work+"-"+e.ID, strings.NewReader("half")); err != nil {
		t.Fatal(err)
	}
	if n, err := cache.Copy(t.Context(), from, machine(t, m)); n != 1 || err != nil {
		t.Fatalf("copied %d, %v", n, err)
	}
	if got, err := io.ReadAll(cachetest.Open(t, machine(t, m), e.ID).Content()); err != nil || string(got) != "whole\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestADamagedOutputIsNotCopied, and the others are.
func TestADamagedOutputIsNotCopied(t *testing.T) {
	dir := t.TempDir()
	from, to := cache.Open(t.TempDir()), cache.Open(dir)
	bad, good := cachetest.Put(t, from, "bad", "as it was"), cachetest.Put(t, from, "good", "text")
	if err := os.WriteFile(bad.Path, []byte("otherwise"), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := cache.Copy(t.Context(), from, to)
	if n != 1 || !errors.Is(err, cache.ErrNotFound) || !strings.Contains(err.Error(), bad.ID) {
		t.Errorf("copied %d, %v", n, err)
	}
	if list, err := to.List(t.Context()); len(list) != 1 || list[0].ID != good.ID || err != nil {
		t.Errorf("list = %v, %v", list, err)
	}
	if left, err := os.ReadDir(dir); len(left) != 3 || err != nil {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestCheckNamesWhatIsDamaged(t *testing.T) {
	e := storetest.NewMemory().Engine(store.Options{})
	id := strings.Repeat("0a", 16)
	shared := cache.OpenShared(e, func(context.Context) (string, error) { return id, nil }, t.TempDir())
	for name, c := range map[string]cache.Cache{"files": cache.Open(t.TempDir()), "shared": shared} {
		var list []cache.Entry
		for range 4 {
			list = append(list, cachetest.Put(t, c, "tool", "as it was"))
		}
		damage(t, e, id, list, name == "shared")
		var found []string
		good, err := cache.Check(t.Context(), c, func(text string) { found = append(found, text) })
		slices.Sort(found)
		want := []string{fmt.Sprintf("cached output %q is damaged or missing", list[0].ID),
			fmt.Sprintf("cached output %q is damaged or missing", list[1].ID),
			fmt.Sprintf("the description of cached output %q is damaged", list[2].ID)}
		slices.Sort(want)
		if good != 1 || err != nil || !slices.Equal(found, want) {
			t.Errorf("%s: %d good, %v, %q", name, good, err, found)
		}
	}
}

// damage changes the first output, removes the second, and changes the description of the
// third.
func damage(t *testing.T, e *store.Engine, id string, list []cache.Entry, isShared bool) {
	t.Helper()
	meta := strings.TrimSuffix(list[2].Path, ".cache") + ".meta.json"
	steps := []error{os.WriteFile(list[0].Path, []byte("otherwise"), 0o600), os.Remove(list[1].Path),
		os.WriteFile(meta, []byte("{"), 0o600)}
	if isShared {
		key := "out." + id + "." + list[2].ID
		d, err := e.Docs.Get(t.Context(), key)
		_, put := e.Docs.Put(t.Context(), key, []byte("{"), d.Rev)
		steps = []error{err, put, e.Blobs.Remove(t.Context(), id+"-"+list[0].ID),
			e.Blobs.Remove(t.Context(), id+"-"+list[1].ID)}
		_, err = e.Blobs.Put(t.Context(), id+"-"+list[0].ID, strings.NewReader("otherwise"))
		steps = append(steps, err)
	}
	if err := errors.Join(steps...); err != nil {
		t.Fatal(err)
	}
}

// TestWhatHasNoDescriptionIsRemovedFromAStore once it is a day old; what is no output stays.
func TestWhatHasNoDescriptionIsRemovedFromAStore(t *testing.T) {
	m := storetest.NewMemory()
	e := m.Engine(store.Options{})
	id := strings.Repeat("0a", 16)
	shared := cache.OpenShared(e, func(context.Context) (string, error) { return id, nil }, t.TempDir())
	described := cachetest.Put(t, shared, "tool", "text")
	m.Advance(-48 * time.Hour)
	for _, key := range []string{id + "-left_1_2", "another-value"} {
		if _, err := e.Blobs.Put(t.Context(), key, strings.NewReader("12345")); err != nil {
			t.Fatal(err)
		}
	}
	m.Advance(48 * time.Hour)
	if _, err := e.Blobs.Put(t.Context(), id+"-young_1_2", strings.NewReader("12345")); err != nil {
		t.Fatal(err)
	}
	n, bytes, err := cache.RemoveLeft(t.Context(), e)
	if n != 1 || bytes != 5 || err != nil {
		t.Errorf("removed %d, %d bytes, %v", n, bytes, err)
	}
	var left []string
	err = e.Blobs.List(t.Context(), "", func(b store.BlobInfo) bool { left = append(left, b.Key); return true })
	slices.Sort(left)
	want := []string{id + "-" + described.ID, id + "-young_1_2", "another-value"}
	if err != nil || !slices.Equal(left, want) {
		t.Errorf("left: %q, %v", left, err)
	}
}
