package trust_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/trust"
)

// TestWhatACommandLoadsIsPinnedAsATree, with its names, up to a bound. What is beyond it is named,
// and no longer what was approved.
func TestWhatACommandLoadsIsPinnedAsATree(t *testing.T) {
	project := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(project, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	look := func(path string) []trust.Seen { return trust.Code(project, "/elsewhere", path) }
	write("pkg/__main__.py", "a")
	write("pkg/sub/b.py", "b")
	write("pkg/__pycache__/b.pyc", "compiled")
	a := trust.Approval{Project: project, Format: trust.Format}
	for _, f := range look("pkg") {
		a.Files = append(a.Files, f.File)
	}
	if len(a.Files) != 3 || a.Files[2].Mode != trust.Directory {
		t.Fatalf("%+v", a.Files)
	}
	differs := func() (where string) {
		for _, f := range look("pkg") {
			if a.Same(f.File) != nil {
				where += f.Path + " "
			}
		}
		return filepath.ToSlash(where)
	}
	write("pkg/__pycache__/c.pyc", "compiled")
	if got := differs(); got != "" {
		t.Errorf("what Python compiles: %s", got)
	}
	write("pkg/new.py", "")
	if got := differs(); got != "pkg/new.py pkg " {
		t.Errorf("a new file: %s", got)
	}
	if err := errors.Join(os.Remove(filepath.Join(project, "pkg/new.py")),
		os.Remove(filepath.Join(project, "pkg/sub/b.py"))); err != nil {
		t.Fatal(err)
	}
	if got := differs(); got != "pkg " {
		t.Errorf("a removed file: %s", got)
	}
	write("pkg/sub/b.py", "b")
	for i := range 1000 {
		write(fmt.Sprintf("pkg/many/%d.py", i), "")
	}
	files := look("pkg")
	if len(files) != 1 || files[0].Mode != trust.NotCovered || a.Same(files[0].File) == nil ||
		!strings.Contains(string(files[0].Text), "more than 1000 files or 64 MiB") {
		t.Errorf("%+v", files)
	}
	for _, path := range []string{".", "missing"} {
		if files := look(path); len(files) != 1 || files[0].Mode != trust.NotCovered {
			t.Errorf("%s: %+v", path, files)
		}
	}
}
