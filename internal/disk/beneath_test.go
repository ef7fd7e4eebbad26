package disk_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/systest"
)

// TestOpenBeneath opens regular files of a directory, and nothing else.
func TestOpenBeneath(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "dir")
	err := errors.Join(
		os.MkdirAll(filepath.Join(dir, "sub"), 0o700), os.WriteFile(filepath.Join(dir, "sub", "a"), []byte("a"), 0o600),
		os.WriteFile(filepath.Join(top, "secret"), []byte("secret"), 0o600),
		os.Symlink("sub/a", filepath.Join(dir, "in")), os.Symlink("../secret", filepath.Join(dir, "out")),
		os.Symlink(top, filepath.Join(dir, "up")), systest.Mkfifo(filepath.Join(dir, "pipe")))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"sub/a": "a", "in": "a", "out": "", "up/secret": "", "../secret": "", "/etc/passwd": "", "sub": "",
		"pipe": "", "missing": "",
	} {
		f, err := disk.OpenBeneath(dir, name)
		if err != nil {
			if want != "" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		text, _ := io.ReadAll(f)
		f.Close()
		if string(text) != want {
			t.Errorf("%s holds %q, want %q", name, text, want)
		}
	}
}
