package disk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/disk/disktest"
)

// content is what a file holds; "-" if there is none.
func content(t *testing.T, fsys disk.FS, name string) string {
	t.Helper()
	data, err := disk.ReadFile(fsys, name, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return "-"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// change is an operation on the file /d/file, which holds "old", and what it makes
// of it.
type change struct {
	name string
	do   func(fsys disk.FS) error
	// file is what is looked at; before and after are what it holds.
	file, before, after string
	// torn are beginnings of what was added that may be there after a crash.
	torn []string
}

const file = "/d/file"

func changes() []change {
	return []change{
		{name: "Replace", file: file, before: "old", after: "new",
			do: func(fsys disk.FS) error { return disk.Replace(fsys, file, []byte("new"), 0o600) }},
		{name: "Replace of a new file", file: "/d/other", before: "-", after: "new",
			do: func(fsys disk.FS) error { return disk.Replace(fsys, "/d/other", []byte("new"), 0o600) }},
		{name: "Append", file: file, before: "old", after: "old+more", torn: []string{"old+", "old+m", "old+mo"},
			do: func(fsys disk.FS) error { return disk.Append(fsys, file, []byte("+more"), 0o600) }},
		{name: "Append to a new file", file: "/d/other", before: "-", after: "more", torn: []string{"", "m", "mo"},
			do: func(fsys disk.FS) error { return disk.Append(fsys, "/d/other", []byte("more"), 0o600) }},
		{name: "Remove", file: file, before: "old", after: "-",
			do: func(fsys disk.FS) error { return disk.Remove(fsys, file) }},
		{name: "Move", file: "/d/moved", before: "-", after: "old",
			do: func(fsys disk.FS) error { return disk.Move(fsys, file, "/d/moved") }},
		{name: "Move to another directory", file: "/d/sub/moved", before: "-", after: "old",
			do: func(fsys disk.FS) error { return disk.Move(fsys, file, "/d/sub/moved") }},
		{name: "MoveNew", file: "/d/moved", before: "-", after: "old",
			do: func(fsys disk.FS) error { return disk.MoveNew(fsys, file, "/d/moved") }},
		{name: "Change", file: file, before: "old", after: "new",
			do: func(fsys disk.FS) error { return disk.Change(fsys, file, 1<<20, to([]byte("new"))) }},
		{name: "Change of a new file", file: "/d/other", before: "-", after: "new",
			do: func(fsys disk.FS) error { return disk.Change(fsys, "/d/other", 1<<20, to([]byte("new"))) }},
		{name: "Change that removes", file: file, before: "old", after: "-",
			do: func(fsys disk.FS) error { return disk.Change(fsys, file, 1<<20, to(nil)) }},
	}
}

// to is a change to a content, nil for none.
func to(data []byte) func([]byte) ([]byte, error) {
	return func([]byte) ([]byte, error) { return data, nil }
}

// prepared is a disk with the file, where the trouble begins at an operation from
// now on.
func prepared(t *testing.T, fsys *disktest.FS, cut int) *disktest.FS {
	t.Helper()
	err := errors.Join(disk.MkdirAll(fsys, "/d/sub", 0o700), disk.Append(fsys, file, []byte("old"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	fsys.Cut(cut)
	return fsys
}

// TestWhatReturnedSurvivesACrash cuts the power at every step of each operation.
func TestWhatReturnedSurvivesACrash(t *testing.T) {
	for _, c := range changes() {
		t.Run(c.name, func(t *testing.T) {
			done := false
			for cut := 0; !done; cut++ {
				fsys := prepared(t, disktest.New("/d", -1), cut)
				err := c.do(fsys)
				done = err == nil
				for _, unsynced := range []disktest.Unsynced{disktest.Lost, disktest.Torn} {
					got := content(t, fsys.AfterCrash(unsynced), c.file)
					if done && got != c.after {
						t.Errorf("it returned, and after a crash the file holds %q, want %q", got, c.after)
					}
					if got != c.before && got != c.after && !slices.Contains(c.torn, got) {
						t.Errorf("power cut at step %d: the file holds %q", cut, got)
					}
				}
			}
		})
	}
}

// TestAFullDiskChangesNothing: a write for which there is no room leaves the file as
// it was, and no temporary file.
func TestAFullDiskChangesNothing(t *testing.T) {
	for _, c := range changes()[:4] {
		t.Run(c.name, func(t *testing.T) {
			for cut := 0; ; cut++ {
				fsys := prepared(t, disktest.NewFailing("/d", -1, syscall.ENOSPC), cut)
				err := c.do(fsys)
				if !fsys.Failed() {
					return
				}
				got := content(t, fsys, c.file)
				switch {
				case err == nil && got != c.after:
					t.Errorf("full at step %d: it returned, and the file holds %q", cut, got)
				case err != nil && !errors.Is(err, syscall.ENOSPC):
					t.Errorf("full at step %d: %v", cut, err)
				case err != nil && got != c.before && (c.before != "-" || got != ""):
					t.Errorf("full at step %d: the file holds %q", cut, got)
				}
				names, _ := fsys.ReadDir("/d")
				for _, n := range names {
					if path := filepath.Join("/d", n.Name()); path != file && path != c.file && !n.IsDir() {
						t.Errorf("full at step %d: %s is left", cut, path)
					}
				}
			}
		})
	}
}

func TestMkdirAllSurvivesACrash(t *testing.T) {
	for cut := 0; ; cut++ {
		fsys := disktest.New("/d", cut)
		if err := disk.MkdirAll(fsys, "/d/a/b/c", 0o700); err != nil {
			continue
		}
		if info, err := fsys.AfterCrash(disktest.Lost).Stat("/d/a/b/c"); err != nil || !info.IsDir() {
			t.Errorf("after a crash: %v", err)
		}
		return
	}
}

func TestWhatCannotBeDoneSaysSo(t *testing.T) {
	fsys := prepared(t, disktest.New("/d", -1), -1)
	if err := disk.Replace(fsys, "/d/other", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	var large *disk.TooLargeError
	for _, test := range []struct {
		name string
		err  error
		want func(error) bool
	}{
		{"MoveNew onto a file", disk.MoveNew(fsys, file, "/d/other"), isError(fs.ErrExist)},
		{"MoveNew onto an empty directory", disk.MoveNew(fsys, file, "/d/sub"), isError(fs.ErrExist)},
		{"Move of nothing", disk.Move(fsys, "/d/nothing", "/d/x"), isError(fs.ErrNotExist)},
		{"Remove of nothing", disk.Remove(fsys, "/d/nothing"), func(err error) bool { return err == nil }},
		{"MkdirAll over a file", disk.MkdirAll(fsys, file, 0o700), func(err error) bool { return err != nil }},
		{"ReadFile of too much", second(disk.ReadFile(fsys, file, 2)), func(err error) bool {
			return errors.As(err, &large) && large.Path == file && large.Max == 2
		}},
		{"ReadFile of as much as may be", second(disk.ReadFile(fsys, file, 3)), func(err error) bool { return err == nil }},
	} {
		if !test.want(test.err) {
			t.Errorf("%s: %v", test.name, test.err)
		}
	}
	if got := content(t, fsys, file) + content(t, fsys, "/d/other"); got != "oldx" {
		t.Errorf("the files hold %q", got)
	}
}

func isError(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func second(_ []byte, err error) error { return err }

func TestIsReadOnly(t *testing.T) {
	for _, err := range []error{syscall.EROFS, syscall.EACCES, fmt.Errorf("writing: %w", syscall.EROFS)} {
		if !disk.IsReadOnly(err) {
			t.Errorf("%v: nothing may be written", err)
		}
	}
	for _, err := range []error{nil, syscall.ENOSPC, fs.ErrNotExist} {
		if disk.IsReadOnly(err) {
			t.Errorf("%v: something else", err)
		}
	}
}
