package tools

import (
	"errors"
	"io/fs"
	"os"
)

// OutputFile is a file with the whole output of a call, where that is too large for
// memory. The caller of the tool always closes it, once; a caller that wants to keep the
// output moves the file away before that. A nil *OutputFile is an output that is in memory.
type OutputFile struct {
	file Named
	size int64
}

// Named is a file that was written to and closed, such as an *os.File. It may know more
// about its content than its name.
type Named interface {
	// Name is the path of the file.
	Name() string
}

// NewOutputFile takes over a file with so many bytes; nil: there is no file.
func NewOutputFile(file Named, size int64) *OutputFile {
	if file == nil {
		return nil
	}
	return &OutputFile{file, size}
}

// File is what NewOutputFile was called with; nil if there is none.
func (f *OutputFile) File() Named {
	if f == nil {
		return nil
	}
	return f.file
}

// Path is where the file is; "" if there is none.
func (f *OutputFile) Path() string {
	if f == nil {
		return ""
	}
	return f.file.Name()
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
	if err := os.Remove(f.Path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
