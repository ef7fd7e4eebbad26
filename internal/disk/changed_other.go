//go:build !linux

package disk

import (
	"io/fs"
	"time"
)

// ChangedAt returns when a file, or the list of names in a directory, last changed.
func ChangedAt(info fs.FileInfo) time.Time { return info.ModTime() }
