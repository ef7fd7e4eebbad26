package disk

import (
	"fmt"
	"io"
	"runtime"
)

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
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(data)) > max {
		err = &TooLargeError{Path: path, Max: max}
	}
	return data, err
}
