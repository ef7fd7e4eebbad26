package trace

import (
	"io"
	"os"

	"github.com/chibi-host/chibi/internal/disk"
)

// File is a file of a trace that never becomes larger than its bound: a full file
// replaces the previous one, and a new file is started.
type File struct {
	path string
	half int64
	f    *os.File
	size int64
}

// Create makes an empty file for the trace of one run, or truncates an existing
// one. A new file can be read by its owner only.
func Create(path string) (io.WriteCloser, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
}

// Open opens a file that takes, together with the previous one, at most so many
// bytes.
func Open(path string, most int64) (*File, error) {
	f := &File{path: path, half: most / 2}
	return f, f.open()
}

func (f *File) open() (err error) {
	if f.f, err = disk.OpenLog(f.path); err != nil {
		return err
	}
	info, err := f.f.Stat()
	if err == nil {
		f.size = info.Size()
	}
	return err
}

// Write appends a line.
func (f *File) Write(line []byte) (int, error) {
	if f.size > 0 && f.size+int64(len(line)) > f.half {
		f.f.Close()
		if err := os.Rename(f.path, Previous(f.path)); err != nil {
			return 0, err
		}
		if err := f.open(); err != nil {
			return 0, err
		}
	}
	n, err := f.f.Write(line)
	f.size += int64(n)
	return n, err
}

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }
