//go:build !linux

package trust

import (
	"io/fs"
	"time"
)

// changedAt is when a file, or the names in a directory, last changed.
func changedAt(info fs.FileInfo) time.Time { return info.ModTime() }
