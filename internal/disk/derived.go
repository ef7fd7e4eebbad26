package disk

import (
	"errors"
	"fmt"
	"os"
)

// ReplaceDerived is [Replace] for a file that can be made again, and that only its owner may
// read: it costs no wait for the disk, and after a crash of the machine the file may be the
// old one, the new one or damaged. An existing file's mode is not kept, and a link is
// replaced.
func ReplaceDerived(fsys FS, name string, data []byte) error {
	f, temp, err := createTemp(fsys, name, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = fsys.Rename(temp, name)
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
