// Package disk writes files: it is the only package of chibi that does.
//
// What it promises: what [Append] and [Replace] returned from survives a crash
// of the machine; a reader never sees half of a replaced file; a file's mode
// is kept. Locks are the kernel's, so that a crashed process holds nothing.
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
)

// FS are the operations that writing files takes.
type FS interface {
	// OpenFile opens a file as os.OpenFile does.
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	// Rename renames as os.Rename does.
	Rename(from, to string) error
	// Remove removes a file.
	Remove(name string) error
	// Mkdir makes a folder; one that exists is no error.
	Mkdir(name string, perm fs.FileMode) error
	// Stat describes a file.
	Stat(name string) (fs.FileInfo, error)
	// SyncDir makes the names in a folder durable.
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
// file that exists keeps its mode, a new one gets perm. The folder must exist.
func Replace(fsys FS, name string, data []byte, perm fs.FileMode) error {
	if info, err := fsys.Stat(name); err == nil {
		perm = info.Mode().Perm()
	}
	temp := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.tmp-%d", filepath.Base(name), os.Getpid()))
	if err := writeSynced(fsys, temp, data, perm); err != nil {
		fsys.Remove(temp)
		return err
	}
	if err := fsys.Rename(temp, name); err != nil {
		fsys.Remove(temp)
		return err
	}
	return fsys.SyncDir(filepath.Dir(name))
}

func writeSynced(fsys FS, name string, data []byte, perm fs.FileMode) error {
	f, err := fsys.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Append adds data to the end of a file with one write and makes it durable.
// The folder must exist; a new file gets perm.
func Append(fsys FS, name string, data []byte, perm fs.FileMode) error {
	_, err := fsys.Stat(name)
	isNew := errors.Is(err, fs.ErrNotExist)
	f, err := fsys.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil || !isNew {
		return err
	}
	return fsys.SyncDir(filepath.Dir(name))
}

// MakeFolder makes a folder and those above it, durably.
func MakeFolder(fsys FS, name string, perm fs.FileMode) error {
	info, err := fsys.Stat(name)
	if err == nil {
		if !info.IsDir() {
			return fmt.Errorf("%s is a file; a folder is needed there", name)
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(name)
	if parent != name {
		if err := MakeFolder(fsys, parent, perm); err != nil {
			return err
		}
	}
	if err := fsys.Mkdir(name, perm); err != nil {
		return err
	}
	return fsys.SyncDir(parent)
}
