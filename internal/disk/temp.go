package disk

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// MkdirTemp creates a directory for temporary files that only its owner can enter. The
// caller must call remove when it is no longer needed.
func MkdirTemp(pattern string) (path string, remove func(), err error) {
	path, err = os.MkdirTemp("", pattern)
	if err != nil {
		return "", nil, err
	}
	return path, func() { RemoveTemp(path) }, nil
}

// RemoveTemp removes what MkdirTemp has made, even if a program has removed the permission
// to read directories in it. It follows no links.
func RemoveTemp(path string) {
	if os.RemoveAll(path) == nil {
		return
	}
	dir, name := filepath.Split(filepath.Clean(path))
	root, err := os.OpenRoot(filepath.Clean(dir))
	if err != nil {
		return
	}
	defer root.Close()
	if info, err := root.Lstat(name); err != nil || !info.IsDir() {
		return
	}
	fs.WalkDir(root.FS(), name, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			root.Chmod(name, 0o700)
		}
		return nil
	})
	os.RemoveAll(path)
}

// CreateSpill makes an empty file in a directory, which is made if it is missing, for
// output that is about to be written. Only its owner can read it. What a run that
// is killed leaves is found by [Temps].
func CreateSpill(dir string) (*os.File, error) {
	if err := MkdirAll(OS{}, dir, 0o700); err != nil {
		return nil, err
	}
	return os.CreateTemp(dir, spillPrefix+"*")
}

// tempNames are the names that MkdirTemp makes for this program, and those that older versions
// made.
const tempNames = "check install test demo data spill sandbox unsaved verify rehearsal variables"

// isOwnTemp reports whether a name is chibi-NAME-NUMBER, perhaps with .json.
func isOwnTemp(file string) bool {
	name, number, ok := strings.Cut(strings.TrimPrefix(file, "chibi-"), "-")
	number = strings.TrimSuffix(number, ".json")
	return ok && strings.HasPrefix(file, "chibi-") && slices.Contains(strings.Fields(tempNames), name) &&
		number != "" && strings.Trim(number, "0123456789") == ""
}

// OwnTemps is [Temps] for the machine's directory for temporary files: what
// MkdirTemp has made there for this user.
func OwnTemps(since time.Time) (paths []string) {
	dir, err := os.Open(os.TempDir())
	if err != nil {
		return nil
	}
	defer dir.Close()
	const most = 20_000 // the directory may contain many files of others
	names, _ := dir.Readdirnames(most)
	for _, name := range names {
		if !isOwnTemp(name) {
			continue
		}
		path := filepath.Join(os.TempDir(), name)
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink != 0 || !info.ModTime().Before(since) {
			continue
		}
		if isOurs(info) {
			paths = append(paths, path)
		}
	}
	return paths
}
