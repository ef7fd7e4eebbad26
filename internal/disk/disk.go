// Package disk writes files. Every file that must survive a crash goes through it.
//
// What it promises: data survives a crash of the machine once [Append] or [Replace] has
// returned; a reader never sees a partially replaced file; a file's mode is kept. Locks
// are kernel locks, which end with their process. Opening a file that is not regular,
// such as a named pipe or a device, is an error that names it, and does not block.
//
// All operations go through an [FS], so that tests can simulate a power failure at every
// step; [OS] is the real file system.
package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// FS is the set of file operations that the package uses.
type FS interface {
	// OpenFile opens a regular file, like os.OpenFile.
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	// Rename renames like os.Rename.
	Rename(from, to string) error
	// RenameNew is Rename, but fails with fs.ErrExist if the new name exists, even if it
	// is an empty directory.
	RenameNew(from, to string) error
	// Exchange gives each of two files the name of the other, in one step. Where the system
	// cannot, it is an error.
	Exchange(a, b string) error
	// Remove removes a file.
	Remove(name string) error
	// Mkdir creates a directory; the error is fs.ErrExist if there is something of that name.
	Mkdir(name string, perm fs.FileMode) error
	// Stat describes a file.
	Stat(name string) (fs.FileInfo, error)
	// ReadDir lists a directory by name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// RemoveAll removes a file, or a directory with its contents.
	RemoveAll(name string) error
	// SyncDir makes the names in a directory durable.
	SyncDir(name string) error
}

// File is an open file of an [FS].
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.Seeker
	io.Closer
	Truncate(size int64) error
	Sync() error
	Stat() (fs.FileInfo, error)
}

// Replace replaces a file's content atomically: readers see the old or the new. An
// existing file keeps its mode, a new one gets perm. The directory must exist.
func Replace(fsys FS, name string, data []byte, perm fs.FileMode) error {
	if info, err := fsys.Stat(name); err == nil {
		if err := checkRegular(name, info); err != nil {
			return err
		}
		perm = info.Mode().Perm()
	}
	return replace(fsys, name, data, perm)
}

// ReplacePrivate is [Replace] for a file that only its owner may read and change, whatever
// its mode was before.
func ReplacePrivate(fsys FS, name string, data []byte) error {
	if info, err := fsys.Stat(name); err == nil {
		if err := checkRegular(name, info); err != nil {
			return err
		}
	}
	return replace(fsys, name, data, 0o600)
}

func replace(fsys FS, name string, data []byte, perm fs.FileMode) error {
	temp, err := writeTemp(fsys, name, data, perm)
	if err != nil {
		return err
	}
	if err := fsys.Rename(temp, name); err != nil {
		fsys.Remove(temp)
		return err
	}
	return fsys.SyncDir(filepath.Dir(name))
}

// Append adds data to the end of a file with one write and makes it durable.
// The directory must exist; a new file gets perm. If the write fails, for example because
// the disk is full, Append tries to remove what was written.
func Append(fsys FS, name string, data []byte, perm fs.FileMode) error {
	f, isNew, err := extend(fsys, name, data, perm)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil || !isNew {
		return err
	}
	return fsys.SyncDir(filepath.Dir(name))
}

// AppendDerived is Append for a file that can be made again from others: it does not wait
// until the data is durable. After a power failure the data may be missing, or any part of
// it may be zeros, and a new file may be missing.
func AppendDerived(fsys FS, name string, data []byte, perm fs.FileMode) error {
	f, _, err := extend(fsys, name, data, perm)
	if err != nil {
		return err
	}
	return f.Close()
}

// extend adds data to the end of a file, which it opens, or creates if it is new.
func extend(fsys FS, name string, data []byte, perm fs.FileMode) (f File, isNew bool, err error) {
	before := int64(0)
	info, err := fsys.Stat(name)
	switch {
	case err == nil:
		before = info.Size()
	case errors.Is(err, fs.ErrNotExist):
		isNew = true
	default:
		return nil, false, err
	}
	f, err = fsys.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, perm)
	if err != nil {
		return nil, false, err
	}
	if _, err = f.Write(data); err != nil {
		f.Truncate(before)
		return nil, false, errors.Join(err, f.Close())
	}
	return f, isNew, nil
}

// Exists reports whether there is a file or directory with a name; true if that is unknown,
// so that operations on it fail with the reason.
func Exists(fsys FS, name string) bool {
	_, err := fsys.Stat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// Remove removes a file durably. It is not an error if it does not exist.
func Remove(fsys FS, name string) error {
	err := fsys.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(name))
}

// Move renames a file or directory durably. After a crash it has the old name or the new
// one.
func Move(fsys FS, from, to string) error { return move(fsys, fsys.Rename, from, to) }

// MoveNew is Move, but fails with fs.ErrExist if the new name exists.
func MoveNew(fsys FS, from, to string) error { return move(fsys, fsys.RenameNew, from, to) }

func move(fsys FS, rename func(from, to string) error, from, to string) error {
	if err := rename(from, to); err != nil {
		return err
	}
	if err := fsys.SyncDir(filepath.Dir(to)); err != nil || filepath.Dir(from) == filepath.Dir(to) {
		return err
	}
	return fsys.SyncDir(filepath.Dir(from))
}

// MkdirAll creates a directory and its parents, durably.
func MkdirAll(fsys FS, name string, perm fs.FileMode) error {
	info, err := fsys.Stat(name)
	if err == nil {
		if !info.IsDir() {
			return fmt.Errorf("%s is a file; a directory is needed there", name)
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(name)
	if parent != name {
		if err := MkdirAll(fsys, parent, perm); err != nil {
			return err
		}
	}
	if err := fsys.Mkdir(name, perm); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return fsys.SyncDir(parent)
}

// IsReadOnly reports whether an error means that nobody may write.
func IsReadOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}
