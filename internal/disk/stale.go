package disk

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// tempMark is part of the names of TempName.
const tempMark = ".tmp-"

// StaleAge is how old a temporary file must be before it counts as left behind:
// no write takes a day.
const StaleAge = 24 * time.Hour

// IsTemp reports whether a name is one of TempName.
func IsTemp(name string) bool {
	return strings.HasPrefix(name, ".") && strings.Contains(name, tempMark)
}

// RemoveStale removes from a directory what interrupted runs have left there under
// a name of TempName before a point in time.
func RemoveStale(fsys FS, folder string, before time.Time) {
	entries, err := fsys.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !IsTemp(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && info.ModTime().Before(before) {
			fsys.RemoveAll(filepath.Join(folder, e.Name()))
		}
	}
}

// TempName is a hidden name, which nothing has, beside a file or directory that is
// about to be made or removed there.
func TempName(name string) (string, error) {
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+tempMark+hex.EncodeToString(random)), nil
}

// writeTemp writes data, durably, to a new file beside the one that it is meant
// for. The name is random, and the file must be new: process ids are the same in
// several containers that share a directory, and goroutines have none.
func writeTemp(fsys FS, name string, data []byte, perm fs.FileMode) (temp string, err error) {
	for range 100 {
		if temp, err = TempName(name); err != nil {
			return "", err
		}
		f, err := fsys.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
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
	return "", fmt.Errorf("no free name for a temporary file beside %s", name)
}
