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
	left, moved := filepath.Join(dir, "left"), filepath.Join(dir, "moved")
	if err := errors.Join(os.WriteFile(left, nil, 0o600), os.WriteFile(moved, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	a, b := tools.NewOutputFile(left, 3), tools.NewOutputFile(moved, 4)
	if a.Path() != left || a.Size() != 3 {
		t.Errorf("%q with %d bytes", a.Path(), a.Size())
	}
	if err := errors.Join(os.Rename(b.Path(), moved+"-away"), a.Close(), b.Close(), a.Close()); err != nil {
		t.Error(err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 || names[0].Name() != "moved-away" {
		t.Errorf("there are %v, %v", names, err)
	}
}

func TestNoOutputFile(t *testing.T) {
	f := tools.NewOutputFile("", 0)
	if f != nil || f.Path() != "" || f.Size() != 0 || f.Close() != nil {
		t.Errorf("%+v", f)
	}
}
