package tools_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/tools"
)

func TestAnOutputFileIsRemovedUnlessItWasMoved(t *testing.T) {
	dir := t.TempDir()
	left, err := os.Create(filepath.Join(dir, "left"))
	moved, err2 := os.Create(filepath.Join(dir, "moved"))
	if err := errors.Join(err, err2, left.Close(), moved.Close()); err != nil {
		t.Fatal(err)
	}
	a, b := tools.NewOutputFile(left, 3), tools.NewOutputFile(moved, 4)
	if a.Path() != left.Name() || a.File() != left || a.Size() != 3 {
		t.Errorf("%q with %d bytes", a.Path(), a.Size())
	}
	if err := errors.Join(os.Rename(b.Path(), b.Path()+"-away"), a.Close(), b.Close(), a.Close()); err != nil {
		t.Error(err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 || names[0].Name() != "moved-away" {
		t.Errorf("there are %v, %v", names, err)
	}
}

func TestNoOutputFile(t *testing.T) {
	f := tools.NewOutputFile(nil, 0)
	if f != nil || f.Path() != "" || f.File() != nil || f.Size() != 0 || f.Close() != nil {
		t.Errorf("%+v", f)
	}
}
