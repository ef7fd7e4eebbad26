//go:build unix && !linux

package disk

import "golang.org/x/sys/unix"

// searchOnly opens a directory that may be read.
const searchOnly = unix.O_RDONLY
