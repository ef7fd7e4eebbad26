package disk

import (
	"errors"
	"fmt"
	"io"
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

// RemoveTemp removes what MkdirTemp has made, also if a program has
// closed directories in it to us. It follows no links.
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

// CreateTempSpill is CreateSpill in the machine's directory for temporary files,
// where [OwnTemps] finds it.
func CreateTempSpill() (*os.File, error) { return os.CreateTemp("", "chibi-spill-*") }

// tempNames are the names that MkdirTemp and CreateTempSpill make for this program, and those
// that older versions made.
const tempNames = "check install test demo data spill"

// isOwnTemp reports whether a name is chibi-NAME-NUMBER, perhaps with .json.
func isOwnTemp(file string) bool {
	name, number, ok := strings.Cut(strings.TrimPrefix(file, "chibi-"), "-")
	number = strings.TrimSuffix(number, ".json")
	return ok && strings.HasPrefix(file, "chibi-") && slices.Contains(strings.Fields(tempNames), name) &&
		number != "" && strings.Trim(number, "0123456789") == ""
}

// OwnTemps is [Temps] for the machine's directory for temporary files: what
// MkdirTemp and CreateTempSpill have made there for this user.
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

// WriteFile writes a file that need not survive a crash, and creates its parent
// directories.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, perm)
}

// WritePrivate is WriteFile for a file that only its owner may read, also if it exists with
// another mode.
func WritePrivate(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		if err := os.Chmod(path, 0o600); err != nil {
			return err
		}
	}
	return os.WriteFile(path, data, 0o600)
}

// Overwrite replaces a file's content in place, without durability, so that a lock on the
// file stays valid.
func Overwrite(path string, data []byte) error {
	f, err := openRegular(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// Sync makes a file's content durable.
func Sync(path string) error {
	f, err := openRegular(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// OpenLog opens or creates a file for appending data that need not survive a crash. Only
// its owner can read a new file.
func OpenLog(path string) (*os.File, error) {
	return openRegular(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}

// CopyTree copies a file, or a directory with its contents. Modes are kept, and the
// contents of files survive a crash once it has returned. A link to a file is copied as
// that file; other links, hidden files and hidden directories are skipped.
func CopyTree(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return copyFile(from, to, info)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || e.Type()&fs.ModeSymlink != 0 && !isRegular(filepath.Join(from, e.Name())) {
			continue
		}
		if err := CopyTree(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func copyFile(from, to string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", from)
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()&^0o022|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
