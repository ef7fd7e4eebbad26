package installed_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/workbench/installed"
)

// FuzzRead checks that a list that was read can be changed, and that one that
// cannot be read is kept.
func FuzzRead(f *testing.F) {
	f.Add(`{"p": {"source": "/src/p", "sha256": "00", "at": "2030-01-01T00:00:00Z"}}`)
	f.Add(`[]`)
	f.Add(`{"p": null, "p": {}}`)
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, "installed.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		before, err := installed.Read(home)
		if err != nil {
			before = nil
		}
		change := func(list installed.List) error { list["new"] = installed.Plugin{Source: "here"}; return nil }
		if err := installed.Change(home, func(string) {}, change); err != nil {
			t.Fatal(err)
		}
		after, err := installed.Read(home)
		delete(before, "new")
		if err != nil || after["new"].Source != "here" || len(after) != len(before)+1 {
			t.Errorf("%v, then %v (%v)", before, after, err)
		}
	})
}
