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
	return uint64(stat.Dev), stat.Ino, stat.Ctim.Nano()
}

// exFAT is missing in the package unix.
const exFAT = 0x2011bab0

// Stable reports whether the file system of a file tells every change at once. Those of
// other machines and of other programs need not, and FAT has neither inodes nor fine times.
func Stable(path string) bool {
	var stat unix.Statfs_t
	if unix.Statfs(path, &stat) != nil {
		return false
	}
	switch uint32(stat.Type) {
	case unix.NFS_SUPER_MAGIC, unix.FUSE_SUPER_MAGIC, unix.V9FS_MAGIC, unix.MSDOS_SUPER_MAGIC, exFAT,
		unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC,
		unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC, unix.CODA_SUPER_MAGIC, unix.NCP_SUPER_MAGIC:
		return false
	}
	return true
}
