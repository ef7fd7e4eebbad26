//go:build unix

package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/systest"
)

// opened is a directory of a test that is opened, with the file "file".
func opened(t *testing.T) *disk.Dir {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(top, "a", "dir")
	if err := errors.Join(os.MkdirAll(path, 0o700), os.WriteFile(filepath.Join(path, "file"), []byte("old"),
		0o640)); err != nil {
		t.Fatal(err)
	}
	dir, err := disk.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(dir.Close)
	return dir
}

// TestADirectoryIsOpenedWithoutLinks on the way to it.
func TestADirectoryIsOpenedWithoutLinks(t *testing.T) {
	dir := opened(t)
	top := filepath.Dir(filepath.Dir(dir.Path()))
	err := errors.Join(os.Symlink("a", top+"/link"), os.Symlink("dir", top+"/a/last"), systest.Mkfifo(top+"/pipe"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/link/dir", "/a/last", "/pipe", "/a/dir/file", "/none", "/pipe/x"} {
		if d, err := disk.OpenDir(top + path); err == nil {
			d.Close()
			t.Errorf("%s was opened", path)
		}
	}
}

// TestADirectoryStaysWhereItWasOpened, whatever gets its name.
func TestADirectoryStaysWhereItWasOpened(t *testing.T) {
	dir := opened(t)
	other := filepath.Join(filepath.Dir(dir.Path()), "other")
	err := errors.Join(os.Rename(dir.Path(), other), os.Symlink("/etc", dir.Path()))
	if err != nil {
		t.Fatal(err)
	}
	sub, err := dir.Make("sub")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if err := sub.Replace("new", nil, []byte("text")); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(other + "/sub/new"); err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
}

// TestOnlyTheExaminedFileIsReplaced: a link, another file and a changed one stay.
func TestOnlyTheExaminedFileIsReplaced(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"a link to another file": func(path string) error {
			return errors.Join(os.Remove(path+"/file"), os.WriteFile(path+"/x", []byte("x"), 0o600), os.Symlink("x",
				path+"/file"))
		},
		"a link to the file itself": func(path string) error {
			return errors.Join(os.Rename(path+"/file", path+"/x"), os.Symlink("x", path+"/file"))
		},
		"another file": func(path string) error {
			return errors.Join(os.WriteFile(path+"/x", []byte("x"), 0o600), os.Rename(path+"/x", path+"/file"))
		},
		"another content": func(path string) error { return os.WriteFile(path+"/file", []byte("newer"), 0o600) },
		"nothing":         func(path string) error { return os.Remove(path + "/file") },
		"a directory": func(path string) error {
			return errors.Join(os.Remove(path+"/file"), os.Mkdir(path+"/file", 0o700))
		},
	} {
		dir := opened(t)
		was, err := dir.Stat("file")
		if err := errors.Join(err, change(dir.Path())); err != nil {
			t.Fatal(err)
		}
		before := listing(t, dir.Path())
		if err := dir.Replace("file", was, []byte("ours")); !errors.Is(err, disk.ErrReplaced) {
			t.Errorf("%s: %v", name, err)
		}
		if got := listing(t, dir.Path()); got != before {
			t.Errorf("%s: it became %s, was %s", name, got, before)
		}
	}
	dir := opened(t)
	if err := dir.Replace("file", nil, []byte("ours")); !errors.Is(err, disk.ErrReplaced) {
		t.Errorf("a file that is new: %v", err)
	}
	was, _ := dir.Stat("file")
	if err := dir.Replace("file", was, []byte("ours")); err != nil {
		t.Error(err)
	}
	if got := listing(t, dir.Path()); got != "file -rw-r----- ours\n" {
		t.Errorf("it became %s", got)
	}
}

// listing describes what is in a directory.
func listing(t *testing.T, path string) string {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		data, _ := os.ReadFile(filepath.Join(path, e.Name()))
		list.WriteString(e.Name() + " " + info.Mode().String() + " " + string(data) + "\n")
	}
	return list.String()
}

// TestTheModeIsKept, also where the umask takes a part of it away.
func TestTheModeIsKept(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o666, 0o755, 0o777} {
		dir := opened(t)
		if err := os.Chmod(dir.Path()+"/file", mode); err != nil {
			t.Fatal(err)
		}
		was, _ := dir.Stat("file")
		if err := dir.Replace("file", was, nil); err != nil {
			t.Fatal(err)
		}
		if now, err := dir.Stat("file"); err != nil || now.Mode() != mode {
			t.Errorf("%v became %v, %v", mode, now.Mode(), err)
		}
	}
}

// TestADirectoryThatMayOnlyBeEnteredIsPassed on the way to a file.
func TestADirectoryThatMayOnlyBeEnteredIsPassed(t *testing.T) {
	dir := opened(t)
	if err := os.Chmod(filepath.Dir(dir.Path()), 0o100); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Dir(dir.Path()), 0o700)
	again, err := disk.OpenDir(dir.Path())
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}
