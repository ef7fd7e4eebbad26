//go:build unix

package disk

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// folder is a directory by its descriptor.
type folder struct{ fd int }

func newFolder(f *os.File) (folder, error) {
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	return folder{fd}, err
}

func (f folder) sub(name string) (folder, error) {
	fd, err := openat(f.fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC)
	return folder{fd}, err
}

// Entries lists the names.
func (f folder) Entries(most int) (list []Entry, isAll bool, err error) {
	fd, err := unix.FcntlInt(uintptr(f.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, false, err
	}
	file := os.NewFile(uintptr(fd), "")
	defer file.Close()
	return entriesOf(file, most)
}

func (f folder) Close() { unix.Close(f.fd) }

// opened is a file by its descriptor.
type opened struct {
	fd   int
	stat unix.Stat_t
}

func (f folder) Open(name string) (Opened, error) {
	fd, err := openat(f.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY)
	if err != nil {
		return Opened{}, err
	}
	o := opened{fd: fd}
	err = unix.Fstat(fd, &o.stat)
	if err == nil && o.stat.Mode&unix.S_IFMT != unix.S_IFREG {
		err = fmt.Errorf("%s is not a regular file", name)
	}
	if err != nil {
		unix.Close(fd)
		return Opened{}, err
	}
	return Opened{o}, nil
}

func (o *opened) Size() int64 { return o.stat.Size }

func (o *opened) Close() { unix.Close(o.fd) }

func (o *opened) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(o.fd, p)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// IsSame reports whether the file is the one that was described.
func (o *opened) IsSame(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && uint64(stat.Dev) == uint64(o.stat.Dev) && stat.Ino == o.stat.Ino
}
