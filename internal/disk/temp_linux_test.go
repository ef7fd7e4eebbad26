package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/chibi-host/chibi/internal/disk"
)

// asNobody makes the files of a directory those of another user, whose permissions
// then count, also where the tests are run by root.
func asNobody(t *testing.T, paths ...string) {
	t.Helper()
	const nobody = 65534
	if os.Getuid() != 0 {
		return
	}
	for _, path := range paths {
		if err := errors.Join(os.Chmod(filepath.Dir(path), 0o755), os.Chown(path, nobody, nobody)); err != nil {
			t.Fatal(err)
		}
	}
	runtime.LockOSThread() // it is of this thread alone
	if err := syscall.Setfsuid(nobody); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Setfsuid(0)
		runtime.UnlockOSThread()
	})
}

func TestRemovingFollowsNoLinkThatCannotBeRemoved(t *testing.T) {
	other, parent := t.TempDir(), t.TempDir()
	shared, link := filepath.Join(other, "shared"), filepath.Join(parent, "link")
	asNobody(t, other, parent)
	if err := os.Mkdir(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(parent, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(parent, 0o700) })
	disk.RemoveTemp(link)
	if info, err := os.Stat(shared); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("what the link leads to: %v, %v", info.Mode(), err)
	}
}

func TestDirectoriesThatAreClosedAreRemoved(t *testing.T) {
	parent := t.TempDir()
	asNobody(t, parent)
	path := filepath.Join(parent, "home")
	closed := filepath.Join(path, "a", "b")
	if err := os.MkdirAll(closed, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{closed, filepath.Dir(closed), path} {
		if err := os.Chmod(dir, 0); err != nil {
			t.Fatal(err)
		}
	}
	disk.RemoveTemp(path)
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}
