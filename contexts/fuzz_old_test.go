package contexts

import (
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/disk/disktest"
	"github.com/chibi-host/chibi/internal/fuzztest"
)

// FuzzStateAndOldFiles holds that whatever state.json, the holder of a lock and the
// original's context.json are, a context can be used and switched to.
func FuzzStateAndOldFiles(f *testing.F) {
	f.Add([]byte(`{"contexts": [{"name": "work", "created_at": 1}], "current_context": "work"}`),
		[]byte(`{"messages": [{"role": "user", "content": "hi"}], "summary": "s"}`), []byte(`{"pid": 1}`))
	f.Add([]byte(`[]`), []byte(`{"messages": {"role": []}}`), []byte(`{"pid": "x"}`))
	f.Add([]byte(`{"contexts": 5, "current_context": "../x"}`), []byte(`[[`), []byte(`null`))
	f.Fuzz(func(t *testing.T, state, old, holder []byte) {
		fuzztest.Memory(t)
		home := t.TempDir()
		files := disktest.New(home, -1)
		store := crashStore(t, home, files)
		for name, data := range map[string][]byte{"state.json": state, "contexts/work/context.json": old,
			"contexts/work/.lock": holder} {
			path := filepath.Join(home, name)
			err := disk.MkdirAll(files, filepath.Dir(path), 0o700)
			if err == nil {
				err = disk.Append(files, path, data, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, err := store.Switch("work"); err != nil {
			t.Fatal(err)
		}
		c, err := store.Context("work")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Append(UserMessage("u", "work", "a prompt")); err != nil {
			t.Fatal(err)
		}
		if _, err := store.List(t.Context()); err != nil {
			t.Error(err)
		}
		if now, err := store.State(t.Context()); err != nil || now.Current != "work" {
			t.Errorf("the state is %+v, %v", now, err)
		}
	})
}
