package disk

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const tempMark = ".tmp-"

// StaleAge is the age after which a temporary file counts as abandoned: no write takes a
// day.
const StaleAge = 24 * time.Hour

// isTemp reports whether a name was made by TempName, or belongs to a spooled output.
func isTemp(name string) bool {
	return strings.HasPrefix(name, ".") && strings.Contains(name, tempMark) || strings.HasPrefix(name, spillPrefix)
}

// spillPrefix is the beginning of the names of outputs that are being written.
const spillPrefix = ".spool-"

// Temps lists the temporary files and directories in a directory that have not changed
// since the given time: if that is long ago, interrupted runs left them.
func Temps(fsys FS, dir string, since time.Time) (paths []string) {
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !isTemp(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && info.ModTime().Before(since) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}

// RemoveStale removes the abandoned temporary files of a directory.
func RemoveStale(fsys FS, dir string, now time.Time) {
	for _, path := range Temps(fsys, dir, now.Add(-StaleAge)) {
		fsys.RemoveAll(path)
	}
}

// TempName returns an unused hidden name beside a file or directory that is about to be
// created or removed.
func TempName(name string) string {
	return filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+tempMark+rand.Text()[:16])
}

// maker is the part of an [FS] that makes a file, or removes it again.
type maker interface {
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	Remove(name string) error
}

// writeTemp writes data, durably, to a new file beside the given one.
func writeTemp(fsys maker, name string, data []byte, perm fs.FileMode) (temp string, err error) {
	f, temp, err := createTemp(fsys, name, perm)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		fsys.Remove(temp)
	}
	return temp, err
}

// createTemp creates a file beside the given one. The name is random, and the file must be
// new: containers that share a directory may have equal process ids, and goroutines share
// one.
func createTemp(fsys maker, name string, perm fs.FileMode) (f File, temp string, err error) {
	for range 100 {
		temp = TempName(name)
		f, err = fsys.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		return f, temp, err
	}
	return nil, "", fmt.Errorf("no free name for a temporary file beside %s", name)
}
