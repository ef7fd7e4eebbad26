package disk

import (
	"errors"
	"os"

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
