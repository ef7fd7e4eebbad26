//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

// owner returns the user and the group that a file belongs to, if they are not those of new
// files of this process.
func owner(info fs.FileInfo) (uid, gid int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) == os.Geteuid() && int(stat.Gid) == os.Getegid() {
		return 0, 0, false
	}
	return int(stat.Uid), int(stat.Gid), true
}
