package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// maxListed bounds how many names are read to find those that are wanted.
const maxListed = 1_000_000

// NamesIn lists at most so many of the wanted names in the directory, unsorted; isAll is false if there are
// more, or if there are very many others.
func NamesIn(d *Dir, most int, wanted func(name string) bool) (names []string, isAll bool, err error) {
	f, err := d.Handle()
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	for listed := 0; listed < maxListed; {
		some, err := f.Readdirnames(1000)
		for _, name := range some {
			if wanted(name) {
				names = append(names, name)
			}
		}
		switch listed += len(some); {
		case len(names) > most:
			return names[:most], false, nil
		case errors.Is(err, io.EOF):
			return names, true, nil
		case err != nil:
			return names, false, err
		}
	}
	return names, false, nil
}

// PutIn gives a name of the directory a regular file with this content, durably, and with the
// permissions of the file that is described, and its owner if that can be done. A file or a link that
// has the name is replaced; a directory is an error. Unlike [Dir.Replace] it does not look at what is
// there.
func PutIn(d *Dir, name string, data []byte, like fs.FileInfo) error {
	temp, err := writeTemp(inDir{d}, name, data, 0o600)
	if err != nil {
		return err
	}
	if uid, gid, ok := owner(like); ok {
		d.root.Lchown(temp, uid, gid) // only root can, and only root needs to
	}
	err = d.root.Chmod(temp, like.Mode().Perm())
	if err == nil {
		err = d.root.Rename(temp, name)
	}
	if err != nil {
		d.root.Remove(temp)
		return err
	}
	return d.sync()
}

// ModeIn gives a directory in the directory these permissions.
func ModeIn(d *Dir, name string, perm fs.FileMode) error {
	info, err := d.Stat(name)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s %w", name, ErrReplaced)
	}
	if err != nil {
		return err
	}
	return d.root.Chmod(name, perm) // a link that is put there now does not lead out of the directory
}

// PutLinkIn makes a link in the directory. The name must be free.
func PutLinkIn(d *Dir, name, target string) error {
	return errors.Join(d.root.Symlink(target, name), d.sync())
}

// RemoveIn removes what has a name in the directory, a directory with all that is in it. It follows no
// link, and it returns nil if there is nothing.
func RemoveIn(d *Dir, name string) error {
	if err := d.root.RemoveAll(name); err == nil {
		return nil
	}
	if info, err := d.Stat(name); err == nil && info.IsDir() {
		fs.WalkDir(d.root.FS(), name, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				d.root.Chmod(name, 0o700)
			}
			return nil
		})
	}
	return d.root.RemoveAll(name)
}

// PruneIn removes a directory in the directory if it is empty, and reports whether it did.
func PruneIn(d *Dir, name string) bool {
	info, err := d.Stat(name)
	return err == nil && info.IsDir() && d.root.Remove(name) == nil
}
