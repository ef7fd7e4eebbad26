package disk

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// CopyTree copies a file, or a directory with its contents. An existing file is an error.
// The modes of files are kept, except that their owner, and nobody else, may write the
// copies. The contents of files survive a crash once it has returned. A link to a file is
// copied as that file; other links, hidden files and hidden directories are skipped.
func CopyTree(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return copyFile(from, to)
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

func copyFile(from, to string) (err error) {
	in, err := OpenRegular(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()&^0o022|0o600)
	if err != nil {
		return err
	}
	defer closeWritten(out, &err)
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Sync()
}
