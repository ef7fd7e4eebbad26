package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Replace is the function Replace for a file of the directory. was describes the file that
// is there, as it was examined; nil: there was none. If there is another one now, or a link,
// or its content has changed since, the error is ErrReplaced, and nothing is written. The
// new file has the old one's permissions, and its owner if that can be done; without an old
// one, all that the person's umask allows to files. Between the last look and the renaming, what
// another process puts there is replaced, but no link is followed.
func (d *Dir) Replace(name string, was fs.FileInfo, data []byte) error {
	if err := d.mayReplace(name, was); err != nil {
		return err
	}
	temp, err := writeTemp(inDir{d}, name, data, newMode(was))
	if err != nil {
		return err
	}
	if err := d.put(temp, name, was); err != nil {
		d.root.Remove(temp)
		return err
	}
	return d.sync()
}

// newMode returns the mode of the new file while it is written. Others must not read what
// will replace a file that they must not read.
func newMode(was fs.FileInfo) fs.FileMode {
	if was == nil {
		return 0o666
	}
	return 0o600
}

// mayReplace checks that the file is the examined one, and that it may be written: a file
// without that permission could still be replaced by one with its name.
func (d *Dir) mayReplace(name string, was fs.FileInfo) error {
	if err := d.isStill(name, was); err != nil || was == nil {
		return err
	}
	f, err := d.open(name, os.O_WRONLY)
	if err != nil {
		return err
	}
	return f.Close()
}

// isStill returns an error if what has a name in the directory is not what was examined.
func (d *Dir) isStill(name string, was fs.FileInfo) error {
	now, err := d.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && was == nil:
		return nil
	case err == nil && was != nil && IsUntouched(was, now):
		return nil
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %w", name, ErrReplaced)
	}
	return err
}

// put gives a finished file its name.
func (d *Dir) put(temp, name string, was fs.FileInfo) error {
	if was == nil {
		return d.putNew(temp, name)
	}
	if uid, gid, ok := owner(was); ok {
		d.root.Lchown(temp, uid, gid) // only root can, and only root needs to
	}
	if err := d.root.Chmod(temp, was.Mode().Perm()); err != nil {
		return err
	}
	if err := d.isStill(name, was); err != nil {
		return err
	}
	return d.root.Rename(temp, name)
}

// putNew gives a finished file a name that nothing has. A second name is made and the first
// one removed, because that fails if something has the name; not all file systems can.
func (d *Dir) putNew(temp, name string) error {
	err := d.root.Link(temp, name)
	if err == nil {
		return d.root.Remove(temp)
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s %w", name, ErrReplaced)
	}
	if err := d.isStill(name, nil); err != nil {
		return err
	}
	return d.root.Rename(temp, name)
}

// inDir makes files in a directory.
type inDir struct{ dir *Dir }

// OpenFile opens or creates a file.
func (d inDir) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := d.dir.root.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Remove removes a file.
func (d inDir) Remove(name string) error { return d.dir.root.Remove(name) }
