//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// reach describes the directory at a path, and follows no link on the way to it.
func reach(path string) (fs.FileInfo, error) {
	const flags = searchOnly | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	at, names := top(path)
	fd, err := openat(unix.AT_FDCWD, at, flags)
	for _, name := range names {
		if err != nil {
			break
		}
		parent := fd
		fd, err = openat(parent, name, flags)
		unix.Close(parent)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	return f.Stat()
}

// openat is unix.Openat, again when a signal interrupts it.
func openat(dir int, name string, flags int) (fd int, err error) {
	for {
		if fd, err = unix.Openat(dir, name, flags, 0); err != unix.EINTR {
			return fd, err
		}
	}
}

// IsWritable reports whether this user may make and remove files in a directory. On Windows it is
// always true: access control lists are not read.
func IsWritable(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }

func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

// owner returns the user and the group that a file belongs to, if new files of this process get
// other ones.
func owner(info fs.FileInfo) (uid, gid int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) == os.Geteuid() && int(stat.Gid) == os.Getegid() {
		return 0, 0, false
	}
	return int(stat.Uid), int(stat.Gid), true
}
