package disk

import (
	"errors"
	"io/fs"
	"os"
)

// OS is the file system of the operating system.
type OS struct{}

var _ FS = OS{}

// OpenFile opens or creates a regular file.
func (OS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := openRegular(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Rename renames a file.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// RenameNew renames a file if the new name does not exist.
func (OS) RenameNew(from, to string) error { return renameNew(from, to) }

// Exchange gives each of two files the name of the other.
func (OS) Exchange(a, b string) error { return exchange(a, b) }

// dress gives a file the owner, if that can be done, and the permissions of another.
func (OS) dress(name string, like fs.FileInfo) error {
	if uid, gid, others := owner(like); others {
		_ = os.Lchown(name, uid, gid) // only root can give files away, and only root need
	}
	return os.Chmod(name, like.Mode().Perm())
}

// Remove removes a file.
func (OS) Remove(name string) error { return os.Remove(name) }

// ReadDir lists a directory by name.
func (OS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// RemoveAll removes a file, or a directory with its contents.
func (OS) RemoveAll(name string) error { return os.RemoveAll(name) }

// Stat describes a file.
func (OS) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// Mkdir creates a directory; the error is fs.ErrExist if there is something of that name.
func (OS) Mkdir(name string, perm fs.FileMode) error { return os.Mkdir(name, perm) }

// SyncDir makes the names in a directory durable.
func (OS) SyncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func renameChecked(from, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}
