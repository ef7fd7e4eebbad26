package disk

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// reach describes the directory at a path. Links are looked for by name, before and after:
// Windows opens no path without them.
func reach(path string) (fs.FileInfo, error) {
	if err := withoutLinks(path); err != nil {
		return nil, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", path)
	}
	return info, withoutLinks(path)
}

// withoutLinks returns an error if a part of a path is a link.
func withoutLinks(path string) error {
	at, names := top(path)
	for _, name := range names {
		at = filepath.Join(at, name)
		info, err := os.Lstat(at)
		if err != nil {
			return err
		}
		if info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0 {
			return fmt.Errorf("%s %w", at, ErrReplaced)
		}
	}
	return nil
}

// isOurs reports whether a file belongs to the user of this process: the directory for
// temporary files is the user's own.
// IsWritable is true.
func IsWritable(string) bool { return true }

func isOurs(fs.FileInfo) bool { return true }

// owner returns nothing: a new file belongs to whom the directory's files belong to.
func owner(fs.FileInfo) (uid, gid int, ok bool) { return 0, 0, false }
