//go:build unix

package doctor

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

func isWritable(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }

// owner returns the user and the group that a file belongs to. known is true if its mode says
// what others may do with it.
func owner(info fs.FileInfo) (uid, gid uint32, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return stat.Uid, stat.Gid, true
}
