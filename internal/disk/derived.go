package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ReplaceDerived is [Replace] for a file that can be made again, and that only its owner may
// read: it costs no wait for the disk, and after a crash of the machine the file may be the
// old one, the new one or damaged. An existing file's mode is not kept, and a link is
// replaced.
func ReplaceDerived(fsys FS, name string, data []byte) error {
	return replaceDerived(fsys, name, data, 0o600)
}

// ReplaceCopy is [ReplaceDerived] for a copy that nobody may write. The error is ErrNoCopy
// if there is a file that may be written: somebody else has put it there.
func ReplaceCopy(fsys FS, name string, data []byte) error {
	if err := MayReplaceCopy(fsys, name); err != nil {
		return err
	}
	return replaceDerived(fsys, name, data, 0o400)
}

// RemoveCopy removes a file that ReplaceCopy has written; it is not an error if it is
// missing. The error is ErrNoCopy if it is another one.
func RemoveCopy(fsys FS, name string) error {
	if err := MayReplaceCopy(fsys, name); err != nil {
		return err
	}
	err := fsys.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// ErrNoCopy reports that a file is not a copy, which ReplaceCopy has written.
var ErrNoCopy = errors.New("it is not a copy, as its owner may write it")

// MayReplaceCopy returns ErrNoCopy if there is a file that ReplaceCopy has not written.
func MayReplaceCopy(fsys FS, name string) error {
	info, err := fsys.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Mode().Perm()&0o200 != 0) {
		return fmt.Errorf("%s: %w", name, ErrNoCopy)
	}
	return err
}

func replaceDerived(fsys FS, name string, data []byte, perm fs.FileMode) error {
	f, temp, err := createTemp(fsys, name, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = fsys.Rename(temp, name)
	}
	if errors.Is(err, fs.ErrPermission) { // on Windows, if nobody may write the one that is there
		if err = fsys.Remove(name); err == nil {
			err = fsys.Rename(temp, name)
		}
	}
	if err != nil {
		fsys.Remove(temp)
	}
	return err
}

// ReadDerived reads a file that ReplaceDerived has written, of at most max bytes. It is an
// error if others may have written it: if it belongs to another user, or they may change it.
func ReadDerived(fsys FS, name string, max int64) ([]byte, error) {
	f, err := fsys.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !isOurs(info) || info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("%s belongs to another user, or others may change it", name)
	}
	return readAll(f, name, max)
}
