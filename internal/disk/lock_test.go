package disk_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
)

// held is a locked file.
func held(t *testing.T) (path string, unlock func()) {
	t.Helper()
	path = filepath.Join(t.TempDir(), ".lock")
	unlock, err := disk.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, unlock
}

func TestALockHasOneHolder(t *testing.T) {
	path, unlock := held(t)
	if _, err := disk.TryLock(path); !errors.Is(err, disk.ErrLocked) || !disk.IsLocked(path) {
		t.Errorf("of a locked file: %v, %v", err, disk.IsLocked(path))
	}
	if _, err := disk.LockWithin(path, time.Millisecond); !errors.Is(err, disk.ErrLocked) {
		t.Errorf("LockWithin: %v", err)
	}
	unlock()
	if disk.IsLocked(path) {
		t.Error("it is still locked")
	}
	again, err := disk.LockWithin(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	again()
}

func TestAWaitForALockEndsWithItsContext(t *testing.T) {
	path, unlock := held(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := disk.WaitLock(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("WaitLock = %v", err)
	}
	unlock()
	// What the wait got in the end was given back.
	again, err := disk.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	again()
}

// TestALockIsOfTheFileThatHasTheName: whoever waits for a file that is replaced in
// the meantime locks the new one.
func TestALockIsOfTheFileThatHasTheName(t *testing.T) {
	path, unlock := held(t)
	got := make(chan func())
	go func() {
		unlock, err := disk.Lock(path)
		if err != nil {
			t.Error(err)
		}
		got <- unlock
	}()
	if err := os.Rename(path, path+"-old"); err != nil {
		t.Fatal(err)
	}
	unlock()
	(<-got)()
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the file that was locked has another name: %v", err)
	}
}

func TestIsLockedMakesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".lock")
	if disk.IsLocked(path) || disk.IsLocked(filepath.Dir(path)) {
		t.Error("nothing is locked")
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file: %v", err)
	}
}
