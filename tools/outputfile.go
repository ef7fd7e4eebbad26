package tools

import (
	"errors"
	"io/fs"
	"os"
)

// OutputFile is a file with the whole output of a call, where that is too large for
// memory. Whoever called the tool closes it, once and in every case; whoever wants
// to keep the output moves the file away before that. A nil *OutputFile is an
// output that is in memory.
type OutputFile struct {
	path string
	size int64
}

// NewOutputFile takes over a file with so many bytes; "" is none.
func NewOutputFile(path string, size int64) *OutputFile {
	if path == "" {
		return nil
	}
	return &OutputFile{path, size}
}

// Path is where the file is; "" if there is none.
func (f *OutputFile) Path() string {
	if f == nil {
		return ""
	}
	return f.path
}

// Size is its size in bytes.
func (f *OutputFile) Size() int64 {
	if f == nil {
		return 0
	}
	return f.size
}

// Close removes the file, unless it was moved away.
func (f *OutputFile) Close() error {
	if f == nil {
		return nil
	}
	if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
