package trust

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
)

const swapDir = ".kodelet/hooks"

// swappable is an approved hook, and "evil" with changed files for the place of the
// hook, its directory, or the one above.
func swappable(t *testing.T, swapped string) (a Approval, hook string) {
	t.Helper()
	root, err := RealPath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rel, _ := filepath.Rel(swapped, swapDir+"/hook")
	for path, text := range map[string]string{swapDir + "/hook": "approved", filepath.Join("evil", rel): "changed"} {
		path = filepath.Join(root, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755),
			os.Chmod(path, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	files, err := Tree(root, swapDir)
	if err != nil {
		t.Fatal(err)
	}
	return Approval{Project: root, Format: Format, Files: []File{files[0].File}}, filepath.Join(root, swapDir, "hook")
}

// swap puts "evil" in a path's place, and what was there in the place of "evil".
func swap(t *testing.T, root, path string) {
	t.Helper()
	path, evil, aside := filepath.Join(root, path), filepath.Join(root, "evil"), filepath.Join(root, "aside")
	if err := errors.Join(os.Rename(path, aside), os.Rename(evil, path), os.Rename(aside, evil)); err != nil {
		t.Fatal(err)
	}
}

// TestASwappedHookDoesNotRun: another process puts changed files in the place of the
// approved ones between the moment they are read and the start of the hook.
func TestASwappedHookDoesNotRun(t *testing.T) {
	for _, swapped := range []string{swapDir + "/hook", swapDir, ".kodelet"} {
		t.Run(swapped, func(t *testing.T) {
			a, hook := swappable(t, swapped)
			check := a.Look(swapDir)
			if err := check(hook); err != nil {
				t.Fatalf("not swapped: %v", err)
			}
			swap(t, a.Project, swapped)
			if err := check(hook); !errors.Is(err, ErrUntrusted) ||
				!strings.Contains(err.Error(), "was replaced while it was being examined") {
				t.Errorf("swapped after it was read: %v", err)
			}
			if err := a.Look(swapDir)(hook); !errors.Is(err, ErrUntrusted) {
				t.Errorf("swapped before it was read: %v", err)
			}
		})
	}
}

// newest is when something in a directory last changed.
func newest(t *testing.T, root string) (at time.Time) {
	t.Helper()
	err := filepath.WalkDir(root, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && disk.ChangedAt(info).After(at) {
			at = disk.ChangedAt(info)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestFilesThatChangeAllTheTimeAreNotTrusted: whoever swaps them without end will
// hit the moment between the last look and the start.
func TestFilesThatChangeAllTheTimeAreNotTrusted(t *testing.T) {
	for _, swapped := range []string{swapDir + "/hook", swapDir, ".kodelet"} {
		t.Run(swapped, func(t *testing.T) {
			a, _ := swappable(t, swapped)
			age, waits := rest/2, 0
			c := clock{now: func() time.Time { return newest(t, a.Project).Add(age) }}
			c.sleep = func(time.Duration) {
				waits++
				swap(t, a.Project, swapped)
				swap(t, a.Project, swapped)
			}
			if _, err := a.settled(swapDir, c); err == nil || !strings.Contains(err.Error(), "changes all the time") {
				t.Errorf("changed again after each of %d waits: %v", waits, err)
			}
			c.sleep = func(time.Duration) { age = rest }
			if files, err := a.settled(swapDir, c); err != nil || len(files) != 1 {
				t.Errorf("not changed for a while: %d files, %v", len(files), err)
			}
		})
	}
}
