package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrReplaced means that a file or directory is not the one that was examined before: what
// had its name, or a part of its path, was replaced in the meantime.
var ErrReplaced = errors.New("was replaced in the meantime")

// Dir is an opened directory. Its methods take single names, and follow no link: a link is
// something that is not a regular file. Whatever is renamed or linked after it was opened, they
// work in that directory and nowhere else. A Dir is safe for concurrent use.
type Dir struct {
	root *os.Root
	path string
}

// OpenDir opens a directory. A path with a link in it is an error, so that the directory is
// where its path says.
func OpenDir(path string) (*Dir, error) {
	here, err := reach(path)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path + string(filepath.Separator) + ".") // a pipe that is put there does not block
	if err != nil {
		return nil, err
	}
	return checked(&Dir{root: root, path: path}, here)
}

// checked returns an opened directory if it is the one that was examined before.
func checked(d *Dir, examined fs.FileInfo) (*Dir, error) {
	opened, err := d.root.Stat(".")
	if err == nil && !os.SameFile(examined, opened) {
		err = fmt.Errorf("%s %w", d.path, ErrReplaced)
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// Path returns the path of the directory when it was opened.
func (d *Dir) Path() string { return d.path }

// Close closes the directory. It can be called more than once, and of a nil Dir.
func (d *Dir) Close() {
	if d != nil {
		d.root.Close()
	}
}

// Sub opens a directory in the directory.
func (d *Dir) Sub(name string) (*Dir, error) {
	before, err := d.Stat(name)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(d.path, name)
	if !before.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	root, err := d.root.OpenRoot(name + string(filepath.Separator) + ".")
	if err != nil {
		return nil, err
	}
	return checked(&Dir{root: root, path: path}, before)
}

// Make makes a directory in the directory, durably, and opens it. One that is there is
// opened.
func (d *Dir) Make(name string) (*Dir, error) {
	err := d.root.Mkdir(name, 0o777) // less the person's umask
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if err := d.sync(); err != nil {
		return nil, err
	}
	return d.Sub(name)
}

// Stat describes what has a name in the directory; a link is described itself.
func (d *Dir) Stat(name string) (fs.FileInfo, error) { return d.root.Lstat(name) }

// Link returns where a link in the directory says that it leads.
func (d *Dir) Link(name string) (string, error) { return d.root.Readlink(name) }

// Handle opens the directory once more, for listing it.
func (d *Dir) Handle() (*os.File, error) { return d.root.Open(".") }

// OpenRegular opens a regular file of the directory for reading. It does not block.
func (d *Dir) OpenRegular(name string) (*os.File, error) { return d.open(name, os.O_RDONLY) }

func (d *Dir) open(name string, flag int) (*os.File, error) {
	path := filepath.Join(d.path, name)
	before, err := d.Stat(name)
	if err != nil {
		return nil, err
	}
	if err := checkRegular(path, before); err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(name, flag|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if f, err = regularOnly(f, path); err != nil {
		return nil, err
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(before, opened) {
		f.Close()
		return nil, errors.Join(err, fmt.Errorf("%s %w", path, ErrReplaced))
	}
	return f, nil
}

func (d *Dir) sync() error {
	f, err := d.Handle()
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// top splits a path into where it begins and its names.
func top(path string) (string, []string) {
	volume := filepath.VolumeName(path)
	separator := string(filepath.Separator)
	names := strings.Split(filepath.ToSlash(path[len(volume):]), "/")
	kept := names[:0]
	for _, name := range names {
		if name != "" && name != "." {
			kept = append(kept, name)
		}
	}
	return volume + separator, kept
}

// IsBelow reports whether a path is a directory or in it, by their names: both are
// absolute and cleaned. Nothing is in "".
func IsBelow(dir, path string) bool {
	const separator = string(filepath.Separator)
	return dir != "" && (path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, separator)+separator))
}
