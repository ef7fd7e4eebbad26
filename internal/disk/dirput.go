package disk

import (
	"errors"
	"io"
	"io/fs"
)

// NamesIn lists at most so many names in the directory, unsorted; isAll is false if there are more.
func NamesIn(d *Dir, most int) (names []string, isAll bool, err error) {
	f, err := d.Handle()
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	names, err = f.Readdirnames(most + 1)
	if len(names) > most {
		return names[:most], false, nil
	}
	if errors.Is(err, io.EOF) { // there are none
		err = nil
	}
	return names, err == nil, err
}

// PutIn gives a name of the directory a regular file with this content and these permissions,
// durably. A file or a link that has the name is replaced; a directory is an error. Unlike
// [Dir.Replace] it does not look at what is there.
func PutIn(d *Dir, name string, data []byte, perm fs.FileMode) error {
	temp, err := writeTemp(inDir{d}, name, data, 0o600)
	if err != nil {
		return err
	}
	err = d.root.Chmod(temp, perm)
	if err == nil {
		err = d.root.Rename(temp, name)
	}
	if err != nil {
		d.root.Remove(temp)
		return err
	}
	return d.sync()
}

// PutLinkIn makes a link in the directory. The name must be free.
func PutLinkIn(d *Dir, name, target string) error {
	return errors.Join(d.root.Symlink(target, name), d.sync())
}

// RemoveIn removes what has a name in the directory, a directory with all that is in it. It follows no
// link, and it is no error if there is nothing.
func RemoveIn(d *Dir, name string) error {
	return errors.Join(d.root.RemoveAll(name), d.sync())
}

// PruneIn removes a directory in the directory if it is empty, and reports whether it did.
func PruneIn(d *Dir, name string) bool {
	info, err := d.Stat(name)
	return err == nil && info.IsDir() && d.root.Remove(name) == nil
}
