package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// WriteFile writes a file that need not survive a crash, and creates its parent
// directories.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, perm)
}

// WritePrivate is WriteFile for a file that only its owner may read, also if it exists with
// another mode.
func WritePrivate(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := openRegular(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err = f.Chmod(0o600); err == nil {
		_, err = f.Write(data)
	}
	return errors.Join(err, f.Close())
}

// Touch sets the time of a file to now. An empty one is made where there is none, in the directories up to
// home, which must be there.
func Touch(home, path string) error {
	now := time.Now()
	err := os.Chtimes(path, now, now)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := os.Stat(home); err != nil {
		return err
	}
	if err := MkdirAll(OS{}, filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return WritePrivate(path, nil)
}

// Overwrite replaces a file's only line in place, without durability, so that a lock on
// the file stays valid. What is left of a longer line becomes spaces: truncating the file
// would make the file system write it to the disk when it is closed.
func Overwrite(path string, line []byte) (err error) {
	f, err := openRegular(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer closeWritten(f, &err)
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() <= maxLine {
		text := bytes.TrimSuffix(line, []byte("\n"))
		line = fmt.Appendf(nil, "%-*s\n", max(len(line), int(info.Size()))-1, text)
	} else if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.Write(line)
	return err
}

// closeWritten closes a file and adds what went wrong to err.
func closeWritten(f File, err *error) { *err = errors.Join(*err, f.Close()) }

// maxLine bounds the line that Overwrite fills with spaces, in bytes.
const maxLine = 1 << 10

// Sync makes a file's content durable.
func Sync(path string) error {
	f, err := openRegular(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// OpenLog opens or creates a file for appending data that need not survive a crash. Only
// its owner can read a new file.
func OpenLog(path string) (*os.File, error) {
	return openRegular(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}

// settledAgo is how far before now Settle dates a file: farther than the steps in which
// any file system stores times.
const settledAgo = 5 * time.Second

// Settle says that an open file is complete, and returns it as it is now: [IsUntouched]
// then finds every later change. It dates the file back a few seconds, because a change
// within the same step of the kernel's clock would otherwise leave the time as it is.
func Settle(f *os.File) (fs.FileInfo, error) {
	if err := os.Chtimes(f.Name(), time.Time{}, time.Now().Add(-settledAgo)); err != nil {
		return nil, err
	}
	return f.Stat()
}

// IsUntouched reports whether a file is still the one that [Settle] saw, and has not been
// written to, replaced, renamed or given other times since. Outside Linux, a change by a
// program that sets the time back goes unnoticed.
func IsUntouched(settled, now fs.FileInfo) bool {
	return os.SameFile(settled, now) && settled.Size() == now.Size() && settled.ModTime().Equal(now.ModTime()) &&
		ChangedAt(settled).Equal(ChangedAt(now))
}
