//go:build unix

package doctor

import (
	"io/fs"
	"syscall"
)

// owner returns the user and the group that a file belongs to. known is true if its mode says
// what others may do with it.
func owner(info fs.FileInfo) (uid, gid uint32, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return stat.Uid, stat.Gid, true
}
