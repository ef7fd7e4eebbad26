package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/systest"
)

// TestManyReplaceOneFileAtOnce: process ids do not tell goroutines, nor processes
// in containers, apart; temporary files must not collide.
func TestManyReplaceOneFileAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	texts := []string{strings.Repeat("a", 100_000), strings.Repeat("b", 200_000), strings.Repeat("c", 50_000)}
	if err := disk.Replace(disk.OS{}, path, []byte(texts[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for i := range 12 {
		writers.Go(func() {
			for range 5 {
				if err := disk.Replace(disk.OS{}, path, []byte(texts[i%len(texts)]), 0o600); err != nil {
					t.Error(err)
				}
				data, err := disk.ReadFile(disk.OS{}, path, 1<<20)
				if err != nil || string(data) != texts[0] && string(data) != texts[1] && string(data) != texts[2] {
					t.Errorf("a torn file of %d bytes, %v", len(data), err)
				}
			}
		})
	}
	writers.Wait()
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestATemporaryFileIsNeverOneThatIsThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (disk.OS{}).OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("OpenFile = %v", err)
	}
	if first, second := disk.TempName(path), disk.TempName(path); first == second {
		t.Errorf("twice %q", first)
	}
}

func TestWhatIsNoRegularFileIsNeitherOpenedNorReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := systest.Mkfifo(path); err != nil {
		t.Fatal(err)
	}
	want := path + " is not a regular file but a named pipe"
	for name, do := range map[string]func() error{
		"ReadFile": func() error { _, err := disk.ReadFile(disk.OS{}, path, 10); return err },
		"Append":   func() error { return disk.Append(disk.OS{}, path, []byte("x"), 0o600) },
		"Replace":  func() error { return disk.Replace(disk.OS{}, path, []byte("x"), 0o600) },
		"Lock":     func() error { _, err := disk.Lock(path); return err },
		"OpenLog":  func() error { _, err := disk.OpenLog(path); return err },
		"Sync":     func() error { return disk.Sync(path) },
		"Overwrite": func() error {
			return disk.Overwrite(path, []byte("x"))
		},
	} {
		if err := do(); err == nil || err.Error() != want {
			t.Errorf("%s: %v; want %s", name, err, want)
		}
	}
}

// TestADerivedFileIsOnlyItsOwners: it is read only if nobody else can have written it, and
// replaces whatever is there.
func TestADerivedFileIsOnlyItsOwners(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for name, make := range map[string]func() error{
		"nothing": func() error { return nil },
		"a file that others write": func() error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, 0o666))
		},
		"a file of another user": func() error { return errors.Join(os.WriteFile(path, nil, 0o600), foreign(path)) },
		"a link":                 func() error { return os.Symlink("/etc/passwd", path) },
		"a named pipe":           func() error { return systest.Mkfifo(path) },
	} {
		os.Remove(path)
		if err := make(); err != nil {
			t.Fatal(err)
		}
		if _, err := disk.ReadDerived(disk.OS{}, path, 1<<20); err == nil && name != "a link" {
			t.Errorf("%s is read", name)
		}
		if err := disk.ReplaceDerived(disk.OS{}, path, []byte("new")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		data, err := disk.ReadDerived(disk.OS{}, path, 1<<20)
		info, err2 := os.Lstat(path)
		if err != nil || err2 != nil || string(data) != "new" || info.Mode() != 0o600 {
			t.Errorf("%s: %q, %v, %v, %v", name, data, info, err, err2)
		}
	}
	if _, err := disk.ReadDerived(disk.OS{}, path, 2); err == nil {
		t.Error("it is larger than its bound")
	}
	os.Remove(path)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := disk.ReplaceDerived(disk.OS{}, path, []byte("new")); err == nil {
		t.Error("a directory was replaced")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// foreign gives a file to another user, which only root can.
func foreign(path string) error {
	if os.Getuid() != 0 {
		return os.Chmod(path, 0o602)
	}
	return os.Chown(path, 12345, 12345)
}
