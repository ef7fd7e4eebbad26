package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"github.com/chibi-host/chibi/internal/disk"
	"golang.org/x/sys/unix"
)

// TestWhatTheDiskDoesNotTakeIsAnError has a kernel that fails every fsync: whatever must survive a
// crash of the machine waits for one, and returns its error.
func TestWhatTheDiskDoesNotTakeIsAnError(t *testing.T) {
	fsys, text := disk.OS{}, []byte("text")
	for name, do := range map[string]func(dir *disk.Dir, path string) error{
		"a list of names":   func(dir *disk.Dir, _ string) error { return fsys.SyncDir(dir.Path()) },
		"a file":            func(_ *disk.Dir, path string) error { return disk.Sync(path) },
		"a replaced file":   func(_ *disk.Dir, path string) error { return disk.Replace(fsys, path, text, 0o600) },
		"an appended text":  func(_ *disk.Dir, path string) error { return disk.Append(fsys, path, text, 0o600) },
		"a removal":         func(_ *disk.Dir, path string) error { return disk.Remove(fsys, path) },
		"a new name":        func(_ *disk.Dir, path string) error { return disk.Move(fsys, path, path+".moved") },
		"a directory":       func(_ *disk.Dir, path string) error { return disk.MkdirAll(fsys, path+".dir", 0o700) },
		"a copy":            func(_ *disk.Dir, path string) error { return disk.CopyTree(path, path+".copy") },
		"a file of a Dir":   func(dir *disk.Dir, _ string) error { return dir.Replace("new", nil, text) },
		"a directory of it": func(dir *disk.Dir, _ string) error { _, err := dir.Make("sub"); return err },
	} {
		t.Run(name, func(t *testing.T) {
			dir := opened(t)
			err := withoutSync(t, func() error { return do(dir, filepath.Join(dir.Path(), "file")) })
			if !errors.Is(err, syscall.EIO) {
				t.Errorf("it returned %v", err)
			}
		})
	}
}

// withoutSync does something in a thread of which the kernel fails every fsync with EIO.
func withoutSync(t *testing.T, do func() error) error {
	t.Helper()
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}, // the number of the system call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_FSYNC, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EIO)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	var refused, err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if refused = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); refused != nil {
			return
		}
		_, _, errno := unix.Syscall(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER,
			uintptr(unsafe.Pointer(&program)))
		if errno != 0 {
			refused = errno
			return
		}
		err = do()
	}()
	if <-done; refused != nil {
		t.Skip("this kernel filters no system calls: ", refused)
	}
	return err
}

// TestANewNameInADirIsMadeDurable: what is written into a directory that cannot be read has its
// name, and is an error, as the list of names cannot be opened for an fsync.
func TestANewNameInADirIsMadeDurable(t *testing.T) {
	dir := opened(t)
	if err := os.Chmod(dir.Path(), 0o300); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir.Path(), 0o700) })
	asNobody(t, dir.Path())
	if err := dir.Replace("new", nil, []byte("text")); !errors.Is(err, os.ErrPermission) {
		t.Errorf("it returned %v", err)
	}
	if _, err := dir.Stat("new"); err != nil {
		t.Error(err)
	}
}
