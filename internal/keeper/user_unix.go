//go:build unix

package keeper

import (
	"io/fs"
	"os"
	"syscall"
)

// Offered reports whether this system has keepers.
const Offered = true

func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
