package fileid

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// system returns the device, the inode and the time of the last change of anything.
func system(info fs.FileInfo) (dev, ino uint64, changed int64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, info.ModTime().UnixNano()
	}
	return uint64(stat.Dev), stat.Ino, stat.Ctimespec.Nano()
}

// Stable reports whether the file system of a file tells every change at once.
func Stable(path string) bool {
	var stat unix.Statfs_t
	if unix.Statfs(path, &stat) != nil {
		return false
	}
	name := unix.ByteSliceToString(stat.Fstypename[:])
	return name == "apfs" || name == "hfs"
}
