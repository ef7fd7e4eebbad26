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
	r := replacement{d, name, was}
	if err := r.check(); err != nil {
		return err
	}
	temp, err := writeTemp(inDir{d}, name, data, r.mode())
	if err != nil {
		return err
	}
	if err := r.put(temp); err != nil {
		d.root.Remove(temp)
		return err
	}
	return d.sync()
}

// replacement is a file that is replaced, or made.
type replacement struct {
	*Dir
	name string
	was  fs.FileInfo
}

// mode returns the mode of the new file while it is written. Others must not read what will
// replace a file that they must not read.
func (r replacement) mode() fs.FileMode {
	if r.was == nil {
		return 0o666
	}
	return 0o600
}

// check checks that the file is the examined one, and that it may be written: a file
// without that permission could still be replaced by one with its name.
func (r replacement) check() error {
	if err := r.isStill(); err != nil || r.was == nil {
		return err
	}
	f, err := r.open(r.name, os.O_WRONLY)
	if err != nil {
		return err
	}
	return f.Close()
}

// isStill returns an error if what has a name in the directory is not what was examined.
func (r replacement) isStill() error {
	now, err := r.Stat(r.name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && r.was == nil:
		return nil
	case err == nil && r.was != nil && IsUntouched(r.was, now):
		return nil
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %w", r.name, ErrReplaced)
	}
	return err
}

// put gives the finished file its name.
func (r replacement) put(temp string) error {
	if r.was == nil {
		return r.putNew(temp)
	}
	if uid, gid, ok := owner(r.was); ok {
		r.root.Lchown(temp, uid, gid) // only root can, and only root needs to
	}
	if err := r.root.Chmod(temp, r.was.Mode().Perm()); err != nil {
		return err
	}
	if err := r.isStill(); err != nil {
		return err
	}
	return r.root.Rename(temp, r.name)
}

// putNew gives the finished file a name that nothing has. A second name is made and the first
// one removed, because that fails if something has the name; not all file systems can.
func (r replacement) putNew(temp string) error {
	err := r.root.Link(temp, r.name)
	if err == nil {
		return r.root.Remove(temp)
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s %w", r.name, ErrReplaced)
	}
	if err := r.isStill(); err != nil {
		return err
	}
	return r.root.Rename(temp, r.name)
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
