package disk

import (
	"io/fs"
	"syscall"
	"time"
)

// ChangedAt is when a file, or the names in a directory, last changed. Nobody can
// set that time back.
func ChangedAt(info fs.FileInfo) time.Time {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(stat.Ctim.Unix())
	}
	return info.ModTime()
}
