//go:build unix && !linux

package disk

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Entries lists the names.
func (f folder) Entries(most int) (list []Entry, isAll bool, err error) {
	fd, err := unix.FcntlInt(uintptr(f.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, false, err
	}
	file := os.NewFile(uintptr(fd), "")
	defer file.Close()
	entries, err := file.ReadDir(most + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	for _, e := range entries[:min(len(entries), most)] {
		list = append(list, Entry{e.Name(), kindOf(e.Type())})
	}
	return list, len(entries) <= most, nil
}
