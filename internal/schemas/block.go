package schemas

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/plugin/oneshot"
)

// The key that the schema of a blocking plugin has, and how many bytes and files are
// searched for it.
const (
	blocks    = "on_failure"
	maxLooked = 64 << 20
	maxFiles  = 200
)

// errMayBlock ends a search: the key was found, or there is too much to search.
var errMayBlock = errors.New("it may block")

// search looks for the key in files.
type search struct{ files, bytes int }

// mayBlock reports whether a plugin's failure may block: its schema is unknown, so its
// file is searched for the key, and the directory that belongs to it. One that is too
// large to be searched may block.
func mayBlock(f oneshot.File) bool {
	s := &search{}
	if s.in(f.Path) != nil {
		return true
	}
	if f.Folder == "" {
		return false
	}
	return filepath.WalkDir(f.Folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if s.files++; s.files > maxFiles {
			return errMayBlock
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return nil // a link to nothing, a directory
		}
		return s.in(path)
	}) != nil
}

// in returns an error if the key is in a file, or may be.
func (s *search) in(path string) error {
	f, err := disk.OpenRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	piece := make([]byte, 64<<10)
	for kept := 0; s.bytes < maxLooked; {
		n, err := f.Read(piece[kept:])
		text := piece[:kept+n]
		switch {
		case bytes.Contains(text, []byte(blocks)):
			return errMayBlock
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		s.bytes += n
		kept = copy(piece, text[max(0, len(text)-len(blocks)+1):])
	}
	return errMayBlock
}
