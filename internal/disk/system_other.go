//go:build !linux

package disk

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// exchange is there on Linux only.
func exchange(_, _ string) error { return errors.ErrUnsupported }

// hold does nothing: leases are there on Linux only.
func hold(File) (isHeld bool, err error) { return false, nil }

// isWanted is not known.
func isWanted(File) bool { return false }

func renameNew(from, to string) error { return renameChecked(from, to) }

// ChangedAt returns when a file, or the list of names in a directory, last changed.
func ChangedAt(info fs.FileInfo) time.Time { return info.ModTime() }

// StartWriteback does nothing: only Linux can begin to write a part of a file on request.
func StartWriteback(*os.File, int64, int64) {}

// searchOnly opens a directory that may be read.
const searchOnly = os.O_RDONLY
