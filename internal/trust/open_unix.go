//go:build unix

package trust

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/chibi-host/chibi/internal/term"
)

// openToOthers refuses a file or directory that others may change: what was
// approved would be theirs to decide. The person's own group does not count as others.
func openToOthers(path string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	path = term.Name(path)
	switch {
	case info.Mode()&0o002 != 0:
		return fmt.Errorf("everybody on this machine may change %s; run: chmod go-w %s", path, path)
	case ok && info.Mode()&0o020 != 0 && int(stat.Gid) != os.Getegid():
		return fmt.Errorf("the group %d, which is not yours, may change %s; run: chmod go-w %s", stat.Gid, path, path)
	}
	return nil
}
