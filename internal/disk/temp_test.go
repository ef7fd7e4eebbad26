package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/systest"
)

// tree makes files with their names as content.
func tree(t *testing.T, modes map[string]os.FileMode) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, mode := range modes {
		path := filepath.Join(dir, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(name), 0o600),
			os.Chmod(path, mode))
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// names lists what is below a directory.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestReplaceKeepsTheMode(t *testing.T) {
	dir := tree(t, map[string]os.FileMode{"script": 0o755, "secret": 0o400})
	for name, want := range map[string]os.FileMode{"script": 0o755, "secret": 0o400, "new": 0o600} {
		path := filepath.Join(dir, name)
		if err := disk.Replace(disk.OS{}, path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s has mode %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}

func TestWhatInterruptedRunsLeftIsFoundAndRemoved(t *testing.T) {
	dir := tree(t, map[string]os.FileMode{"kept": 0o600, ".hidden": 0o600})
	temp := disk.TempName(filepath.Join(dir, "kept"))
	spill, err := disk.CreateSpill(filepath.Join(dir, "."))
	if err := errors.Join(err, spill.Close(), os.WriteFile(temp, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	found := disk.Temps(disk.OS{}, dir, now.Add(time.Minute))
	slices.Sort(found)
	if want := []string{temp, spill.Name()}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	disk.RemoveStale(disk.OS{}, dir, now)
	if left := names(t, dir); len(left) != 4 {
		t.Errorf("young ones were removed: %q", left)
	}
	disk.RemoveStale(disk.OS{}, dir, now.Add(disk.StaleAge+time.Minute))
	if left := names(t, dir); !slices.Equal(left, []string{".hidden", "kept"}) {
		t.Errorf("left: %q", left)
	}
}

func TestOwnTemps(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir, remove, err := disk.MkdirTemp("chibi-test-*")
	if err != nil {
		t.Fatal(err)
	}
	spill := filepath.Join(os.TempDir(), "chibi-spill-1") // of an older version
	if err := errors.Join(os.WriteFile(spill, nil, 0o600), os.Mkdir(filepath.Join(os.TempDir(), "chibi-mine-1"), 0o700),
		os.Mkdir(filepath.Join(os.TempDir(), "chibi-test-x1"), 0o700), os.Mkdir(filepath.Join(os.TempDir(), "test-1"), 0o700),
		os.Symlink(dir, filepath.Join(os.TempDir(), "chibi-test-1"))); err != nil {
		t.Fatal(err)
	}
	found := disk.OwnTemps(time.Now().Add(time.Minute))
	slices.Sort(found)
	if want := []string{spill, dir}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	if young := disk.OwnTemps(time.Now().Add(-time.Minute)); len(young) > 0 {
		t.Errorf("found young ones: %q", young)
	}
	remove()
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestCopyTree(t *testing.T) {
	from := tree(t, map[string]os.FileMode{"plugin": 0o777, "lib/data": 0o400, ".git/config": 0o600, "lib/.hidden": 0o600})
	err := errors.Join(os.Symlink("plugin", filepath.Join(from, "link")), os.Symlink("lib", filepath.Join(from, "dir")),
		os.Symlink("nothing", filepath.Join(from, "dead")))
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy")
	if err := disk.CopyTree(from, to); err != nil {
		t.Fatal(err)
	}
	if got := names(t, to); !slices.Equal(got, []string{"lib/data", "link", "plugin"}) {
		t.Errorf("copied are %q", got)
	}
	for name, want := range map[string]os.FileMode{"plugin": 0o700, "link": 0o700, "lib/data": 0o600} {
		if info, err := os.Lstat(filepath.Join(to, name)); err != nil || info.Mode()&^0o055 != want {
			t.Errorf("%s has mode %v, %v; want %v for its owner, and no writing for others", name, info.Mode(), err, want)
		}
	}
	if err := disk.CopyTree(from, to); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second copy over the first: %v", err)
	}
}

func TestWritePrivate(t *testing.T) {
	dir := tree(t, map[string]os.FileMode{"open": 0o644})
	for _, name := range []string{"open", "sub/new"} {
		path := filepath.Join(dir, name)
		if err := disk.WritePrivate(path, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s has mode %v, %v", name, info.Mode(), err)
		}
	}
	pipe := filepath.Join(dir, "pipe")
	if err := systest.Mkfifo(pipe); err != nil {
		t.Skip(err)
	}
	if err := disk.WritePrivate(pipe, []byte("x")); err == nil || !strings.Contains(err.Error(), "a named pipe") {
		t.Errorf("writing to a named pipe: %v", err)
	}
}
