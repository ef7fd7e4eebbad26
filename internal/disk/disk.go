// Package disk writes files that must survive a crash: what has to goes through it.
//
// What it promises: what [Append] and [Replace] returned from survives a crash
// of the machine; a reader never sees half of a replaced file; a file's mode
// is kept. Locks are the kernel's, so that a crashed process holds nothing. What
// is not a regular file, such as a named pipe or a device, is refused by name,
// not waited for.
//
// All operations go through an [FS], so that tests can cut the power at every
// step; [OS] is the real one.
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

// FS are the operations that writing files takes.
type FS interface {
	// OpenFile opens a file as os.OpenFile does; it must be a regular one.
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	// Rename renames as os.Rename does.
	Rename(from, to string) error
	// RenameNew is Rename that fails with fs.ErrExist if something, be it an empty
	// directory, has the new name.
	RenameNew(from, to string) error
	// Remove removes a file.
	Remove(name string) error
	// Mkdir makes a directory; one that exists is no error.
	Mkdir(name string, perm fs.FileMode) error
	// Stat describes a file.
	Stat(name string) (fs.FileInfo, error)
	// ReadDir lists a directory by name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// RemoveAll removes a file or a directory with all that is in it.
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

// Replace gives a file new content at once: readers see the old or the new. A
// file that exists keeps its mode, a new one gets perm. The directory must exist.
func Replace(fsys FS, name string, data []byte, perm fs.FileMode) error {
	if info, err := fsys.Stat(name); err == nil {
		if err := checkRegular(name, info); err != nil {
			return err
		}
		perm = info.Mode().Perm()
	}
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
// The directory must exist; a new file gets perm. Of a write that fails, as on a
// full disk, nothing stays if that can be helped.
func Append(fsys FS, name string, data []byte, perm fs.FileMode) error {
	before, isNew := int64(0), false
	info, err := fsys.Stat(name)
	switch {
	case err == nil:
		before = info.Size()
	case errors.Is(err, fs.ErrNotExist):
		isNew = true
	default:
		return err
	}
	f, err := fsys.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, perm)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err != nil {
		f.Truncate(before)
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil || !isNew {
		return err
	}
	return fsys.SyncDir(filepath.Dir(name))
}

// Remove removes a file durably. A missing one is no error.
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

// Move renames a file or directory durably. When the power goes in between, it has
// the old name or the new one.
func Move(fsys FS, from, to string) error { return move(fsys, fsys.Rename, from, to) }

// MoveNew is Move that fails with fs.ErrExist if something has the new name.
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

// MkdirAll makes a directory and those above it, durably.
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
	if err := fsys.Mkdir(name, perm); err != nil {
		return err
	}
	return fsys.SyncDir(parent)
}

// IsReadOnly says that an error means that nothing may be written here.
func IsReadOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}
