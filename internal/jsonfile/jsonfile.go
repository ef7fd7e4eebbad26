// Package jsonfile reads and changes the small files of a home that several
// processes may change at once.
//
// What it promises: a change is made to what the file says at that moment, while
// nobody else changes it, and replaces the file at once, so that no change is
// lost and no reader sees half of one. Reading takes no lock. A file that is not
// JSON, or is JSON of another shape, is kept beside the new one under another
// name, never overwritten. A file that is larger than its bound, or not a regular
// one, is refused as it is.
package jsonfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// DefaultMax bounds a file whose Max is not set, in bytes.
const DefaultMax = 16 << 20

// patience is how long a change waits for others; one takes a few milliseconds,
// unless the process that makes it was stopped.
const patience = 10 * time.Second

// File is a file that may be changed.
type File struct {
	// Path is where it is. A link stays a link, and its target is changed.
	Path string
	// FS is where it lies; nil: the machine's file system.
	FS disk.FS
	// Max is how many bytes it may have; 0: DefaultMax.
	Max int64
	// Report, if set, is told that a damaged file was kept, and where.
	Report func(text string)
}

// DamagedError says that a file is not JSON, or is JSON of another shape.
type DamagedError struct {
	Path string
	Err  error
}

// Error names the file.
func (e *DamagedError) Error() string { return fmt.Sprintf("%s is damaged: %v", e.Path, e.Err) }

// Unwrap is the reason.
func (e *DamagedError) Unwrap() error { return e.Err }

// Read reads a file; a missing one is the zero value. The error is a
// *DamagedError if it is not a T. A *T with a method Validate() error has the last
// word on that.
func Read[T any](f File) (T, error) {
	data, err := f.read()
	if err != nil || data == nil {
		var zero T
		return zero, err
	}
	return parse[T](f.Path, data)
}

// Update changes a file while no other process does. A damaged one is kept beside
// it, reported, and counts as missing. If change fails, nothing is written.
func Update[T any](f File, change func(*T) error) error {
	return f.locked(func(f File) error {
		data, err := f.read()
		if err != nil {
			return err
		}
		var value T
		if data != nil {
			value, err = parse[T](f.Path, data)
		}
		isDamaged := err != nil
		if isDamaged {
			var zero T
			value = zero
		}
		if err := change(&value); err != nil {
			return err
		}
		after, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			return err
		}
		if isDamaged {
			if err := f.setAside(); err != nil {
				return err
			}
		}
		return f.replace(data, append(after, '\n'))
	})
}

// Write replaces a file without reading it, and takes no lock: for files that one
// writer makes, and whose last writer may win. The directory must exist.
func Write[T any](f File, value T) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return f.replace(nil, append(data, '\n'))
}

// Rewrite changes the text of a file while no other process does; nil stands for a
// missing file. If change fails, nothing is written.
func Rewrite(f File, change func(text []byte) ([]byte, error)) error {
	return f.locked(func(f File) error {
		before, err := f.read()
		if err != nil {
			return err
		}
		after, err := change(before)
		if err != nil {
			return err
		}
		return f.replace(before, after)
	})
}

// locked runs a step while no other process changes the file. The step gets the
// file with its real path: two homes may link to one.
func (f File) locked(step func(File) error) error {
	f.FS = f.fs()
	if real, err := filepath.EvalSymlinks(f.Path); err == nil {
		f.Path = real
	}
	if err := disk.MkdirAll(f.FS, filepath.Dir(f.Path), 0o700); err != nil {
		return err
	}
	unlock, err := disk.LockWithin(f.Path+".lock", patience)
	if errors.Is(err, disk.ErrLocked) {
		return fmt.Errorf("%s is being changed by another process, which has not finished in %s; end it and try again",
			f.Path, patience)
	}
	if err != nil {
		return fmt.Errorf("locking %s: %w", f.Path, err)
	}
	defer unlock()
	return step(f)
}

// read reads the file; nil if it is missing.
func (f File) read() ([]byte, error) {
	limit := f.Max
	if limit == 0 {
		limit = DefaultMax
	}
	data, err := disk.ReadFile(f.fs(), f.Path, limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

func (f File) replace(before, after []byte) error {
	if before != nil && bytes.Equal(before, after) {
		return nil
	}
	return disk.Replace(f.fs(), f.Path, after, 0o600)
}

// setAside keeps a damaged file under another name.
func (f File) setAside() error {
	aside := fmt.Sprintf("%s.damaged-%d", f.Path, time.Now().UnixNano())
	if err := disk.Move(f.fs(), f.Path, aside); err != nil {
		return err
	}
	if f.Report != nil {
		f.Report(fmt.Sprintf("%s is damaged; it is kept as %s, and made anew", f.Path, filepath.Base(aside)))
	}
	return nil
}

func (f File) fs() disk.FS {
	if f.FS == nil {
		return disk.OS{}
	}
	return f.FS
}

// parse reads a T. JSON's null is none: it would leave every field as it was.
func parse[T any](path string, data []byte) (value T, err error) {
	if string(bytes.TrimSpace(data)) == "null" {
		return value, &DamagedError{path, errors.New("it says null")}
	}
	err = strictjson.Decode(data, &value)
	if v, ok := any(&value).(interface{ Validate() error }); ok && err == nil {
		err = v.Validate()
	}
	if err != nil {
		return value, &DamagedError{path, err}
	}
	return value, nil
}
