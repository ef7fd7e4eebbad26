package disk

import (
	"io/fs"
	"syscall"
	"time"
)

// ChangedAt returns when a file, or the list of names in a directory, last changed. That
// time cannot be set by programs.
func ChangedAt(info fs.FileInfo) time.Time {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(stat.Ctim.Unix())
	}
	return info.ModTime()
}
