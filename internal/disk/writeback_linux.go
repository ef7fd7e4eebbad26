package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// StartWriteback tells the kernel to begin to write a part of a file to disk, and does not
// wait for that: a later fsync of a large file has less left to do. It is a hint, which
// nothing depends on.
func StartWriteback(f *os.File, from, size int64) {
	if raw, err := f.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { unix.SyncFileRange(int(fd), from, size, unix.SYNC_FILE_RANGE_WRITE) })
	}
}
