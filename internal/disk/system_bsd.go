//go:build unix && !linux

package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

func (f folder) Entries(most int) (list []Entry, isAll bool, err error) {
	fd, err := unix.FcntlInt(uintptr(f.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, false, err
	}
	file := os.NewFile(uintptr(fd), "")
	defer file.Close()
	return entriesOf(file, most)
}

// searchOnly opens a directory that may be read.
const searchOnly = unix.O_RDONLY
