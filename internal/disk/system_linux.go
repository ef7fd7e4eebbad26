package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// exchange gives each of two files the name of the other, in one step. Not every file system can.
func exchange(a, b string) error {
	if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil {
		return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
	}
	return nil
}

// hold takes a lease on a file that is open for reading: who opens it for writing waits until the
// file is closed. If somebody has it open for writing, the error is errOthers. Not every file system
// has leases, and files of others have none.
func hold(f File) (isHeld bool, err error) {
	file, is := f.(*os.File)
	if !is {
		return false, nil
	}
	_, err = unix.FcntlInt(file.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if errors.Is(err, unix.EAGAIN) {
		return false, errOthers
	}
	return err == nil, nil
}

// isWanted reports whether somebody waits until a held file is closed.
func isWanted(f File) bool {
	file, is := f.(*os.File)
	if !is {
		return false
	}
	lease, err := unix.FcntlInt(file.Fd(), unix.F_GETLEASE, 0)
	return err == nil && lease != unix.F_RDLCK
}

// renameNew renames atomically, if the file system supports that.
func renameNew(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return renameChecked(from, to)
	}
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

// ChangedAt returns when a file, or the list of names in a directory, last changed. That
// time cannot be set by programs.
func ChangedAt(info fs.FileInfo) time.Time {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(stat.Ctim.Unix())
	}
	return info.ModTime()
}

// StartWriteback tells the kernel to begin to write a part of a file to disk, and does not
// wait for that: a later fsync of a large file has less left to do. It is a hint, which
// nothing depends on.
func StartWriteback(f *os.File, from, size int64) {
	if raw, err := f.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { unix.SyncFileRange(int(fd), from, size, unix.SYNC_FILE_RANGE_WRITE) })
	}
}

// searchOnly opens a directory that may be entered, but perhaps not be read.
const searchOnly = unix.O_PATH
