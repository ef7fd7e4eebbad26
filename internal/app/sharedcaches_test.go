package app_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cache/cachetest"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/store"
)

// TestAHomeKeepsOutputsOfBothKindsApart has contexts of one name in files and in a store: what is
// cleaned, cleared and deleted of the shared one leaves the other's outputs.
func TestAHomeKeepsOutputsOfBothKindsApart(t *testing.T) {
	dir, m := home(t), newShared()
	ofFiles := m.options(dir, "work")
	ofFiles.Store = app.StoreOptions{}
	open := func(o app.Options) *app.Session {
		t.Helper()
		if err := m.ask(o, "hello"); err != nil {
			t.Fatal(err)
		}
		s, err := app.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	files, shared := open(ofFiles), open(m.options(dir, "work"))
	kept := cachetest.Put(t, files.Cache(), "tool", "of files")
	makeOld(t, kept.Path)
	steps := []struct {
		name  string
		keeps bool // the shared output, which is new
		do    func() error
	}{
		{"cleaning", true, func() error {
			_, err := app.CachesOf(shared).Clean(t.Context(), 0)
			return err
		}},
		{"clearing", false, shared.Cache().Clear},
		{"deleting", false, func() error {
			_, err := shared.Context.Delete()
			return err
		}},
	}
	for _, step := range steps {
		copied := cachetest.Put(t, shared.Cache(), "tool", "shared")
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if _, err := os.Stat(copied.Path); os.IsNotExist(err) == step.keeps {
			t.Errorf("%s: the copy: %v", step.name, err)
		}
		if list, err := files.Cache().List(t.Context()); err != nil || len(list) != 1 || list[0].ID != kept.ID {
			t.Errorf("%s leaves %v of the context in files, %v", step.name, list, err)
		}
	}
}

// makeOld makes an output in files a long-kept one.
func makeOld(t *testing.T, path string) {
	t.Helper()
	meta := strings.TrimSuffix(path, filepath.Ext(path)) + ".meta.json"
	text, err := os.ReadFile(meta)
	old := regexp.MustCompile(`"timestamp":\s*\d+`).ReplaceAll(text, []byte(`"timestamp":1000000000`))
	if err == nil {
		err = os.WriteFile(meta, old, 0o600)
	}
	if err != nil || string(old) == string(text) {
		t.Fatal("no timestamp", err)
	}
}

// TestTheDailyRunRemovesOutputsOfNoContext has what a machine has left that died while it deleted a
// context.
func TestTheDailyRunRemovesOutputsOfNoContext(t *testing.T) {
	m := newShared()
	e := m.memory.Engine(store.Options{})
	defer e.Close()
	m.memory.Advance(-48 * time.Hour)
	_, err := e.Blobs.Put(t.Context(), strings.Repeat("0a", 16)+"-left_1_2", strings.NewReader("12345"))
	m.memory.Advance(48 * time.Hour)
	o := m.options(home(t), "work")
	o.Transient = false
	if err == nil {
		err = m.ask(o, "hello")
	}
	if err != nil {
		t.Fatal(err)
	}
	err = e.Blobs.List(t.Context(), "", func(b store.BlobInfo) bool {
		t.Errorf("%q is left", b.Key)
		return true
	})
	if err != nil {
		t.Error(err)
	}
}
