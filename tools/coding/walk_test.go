package coding

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
)

// walkOf is a walk through a new directory, with the number of files that it meets.
func walkOf(t *testing.T, until time.Time, make func(dir string) error) (*walk, *int) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := make(top); err != nil {
		t.Fatal(err)
	}
	met := 0
	w := &walk{top: top, until: until, file: func(*walked, disk.Entry) bool { met++; return true }}
	dir, err := disk.OpenDir(top)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	folder, err := dir.Folder()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.run(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	return w, &met
}

func TestAWalkEndsWhenItsTimeIsOver(t *testing.T) {
	w, met := walkOf(t, time.Now().Add(-time.Second), func(dir string) error {
		for i := range 600 {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o600); err != nil {
				return err
			}
		}
		return nil
	})
	const want = "[stopped after 20s: the rest was not searched; name a smaller directory]\n"
	if *met != 255 || w.unread.remarks() != want {
		t.Errorf("it met %d files: %s", *met, w.unread.remarks())
	}
}

func TestAWalkEntersSoManyLevels(t *testing.T) {
	w, met := walkOf(t, time.Now().Add(time.Hour), func(dir string) error {
		deep := filepath.Join(dir, strings.Repeat("d/", 205))
		if err := os.MkdirAll(deep, 0o700); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(deep, "file"), nil, 0o600)
	})
	if *met != 0 || w.unread.remarks() != "[1 directory more than 200 levels deep was not entered]\n" {
		t.Errorf("it met %d files: %s", *met, w.unread.remarks())
	}
}
