//go:build !linux

package disk

import (
	"io/fs"
	"time"
)

// ChangedAt is when a file, or the names in a directory, last changed.
func ChangedAt(info fs.FileInfo) time.Time { return info.ModTime() }
