package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// TooLargeError means that a file is larger than its bound.
type TooLargeError struct {
	Path string
	// Max is the bound in bytes.
	Max int64
}

// Error names the file and the bound.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s is larger than %d bytes; it was not changed", e.Path, e.Max)
}

// ReadFile reads a regular file of at most max bytes. The error for a larger one is a
// *TooLargeError.
func ReadFile(fsys FS, name string, max int64) ([]byte, error) {
	f, err := fsys.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, name, max)
}

// readAll reads an open file of at most max bytes.
func readAll(f File, name string, max int64) ([]byte, error) {
	var data bytes.Buffer
	if info, err := f.Stat(); err == nil && info.Size() > max {
		return nil, &TooLargeError{Path: name, Max: max}
	} else if err == nil {
		data.Grow(int(info.Size()) + bytes.MinRead)
	}
	_, err := data.ReadFrom(io.LimitReader(f, max+1))
	if err == nil && int64(data.Len()) > max {
		return nil, &TooLargeError{Path: name, Max: max}
	}
	return data.Bytes(), err
}

// OpenRegular opens a regular file for reading.
func OpenRegular(path string) (*os.File, error) { return openRegular(path, os.O_RDONLY, 0) }

// openRegular opens or creates a regular file. Opening a device or a named pipe could block
// or have side effects, so the type is checked before, and the file is opened without
// blocking in case it was replaced in between.
func openRegular(path string, flag int, perm fs.FileMode) (*os.File, error) {
	before, err := os.Stat(path)
	switch {
	case err == nil:
		if err := checkRegular(path, before); err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	f, err := os.OpenFile(path, flag|syscall.O_NONBLOCK, perm)
	if err != nil {
		return nil, err
	}
	return regularOnly(f, path)
}

// regularOnly returns an opened file, or an error if it is not a regular one.
func regularOnly(f *os.File, path string) (*os.File, error) {
	opened, err := f.Stat()
	if err == nil {
		err = checkRegular(path, opened)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// IsTaken reports whether there is anything at a path, which may be a broken link.
func IsTaken(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// checkRegular returns an error if a file is not a regular one.
func checkRegular(path string, info fs.FileInfo) error {
	kind := "something else"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeSymlink != 0:
		kind = "a link"
	}
	return fmt.Errorf("%s is not a regular file but %s", path, kind)
}

// OpenBeneath opens a regular file below a directory for reading. It is an error if links
// lead out of the directory.
func OpenBeneath(directory, name string) (*os.File, error) {
	root, err := os.OpenRoot(directory)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	path := filepath.Join(directory, name)
	if before, err := root.Stat(name); err == nil {
		if err := checkRegular(path, before); err != nil {
			return nil, err
		}
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return regularOnly(f, path)
}

// ReadPrivate reads a regular file of at most max bytes that nobody but its owner may read, such
// as one with a key. The error names the file and says what to do. Windows has no such modes.
func ReadPrivate(path string, max int64) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("others may read %s (mode %#o); run: chmod 600 %s", path, mode, path)
	}
	return readAll(f, path, max)
}
