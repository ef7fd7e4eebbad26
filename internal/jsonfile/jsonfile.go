// Package jsonfile reads and changes small files of a home that several processes may
// change concurrently.
//
// What it promises: an update reads the file, changes it and replaces it atomically, under
// a lock, so that no change is lost and no reader sees a partial one. Reading takes no
// lock. A damaged file, which is not JSON or is JSON of another type, is renamed, never
// overwritten. A file that is larger than its bound, or that is not a regular file, is an
// error and stays unchanged.
package jsonfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// DefaultMax bounds a file whose Max is not set, in bytes.
const DefaultMax = 16 << 20

// DefaultPatience is how long a change of a file whose Patience is not set waits for the lock. It is
// held for a few milliseconds, unless its process was stopped.
const DefaultPatience = 10 * time.Second

// File is a file that may be changed.
type File struct {
	// Path is the path. If it is a link, its target is changed.
	Path string
	// FS is the file system; nil: the file system of the machine.
	FS disk.FS
	// Max bounds its size in bytes; 0: DefaultMax.
	Max int64
	// Patience is how long a change waits for the lock; 0: DefaultPatience.
	Patience time.Duration
	// Private says that only the owner may read the file, whatever its mode was before it is
	// replaced. Otherwise an existing file keeps its mode.
	Private bool
	// Report, if set, is called when a damaged file was renamed.
	Report func(text string)
}

// DamagedError means that a file is not JSON, or is JSON of another type.
type DamagedError struct {
	Path string
	Err  error
}

// Error names the file.
func (e *DamagedError) Error() string { return fmt.Sprintf("%s is damaged: %v", e.Path, e.Err) }

// Unwrap returns the reason.
func (e *DamagedError) Unwrap() error { return e.Err }

// IsDamaged reports whether an error is a *DamagedError: the file could be read, but has no
// valid content.
func IsDamaged(err error) bool {
	var damaged *DamagedError
	return errors.As(err, &damaged)
}

// Read reads a file; the value of a missing one is zero. The error is a *DamagedError if
// the file is not a T, or if *T has a method Validate() error that returns an error.
func Read[T any](f File) (T, error) {
	data, err := f.read()
	if err != nil || data == nil {
		var zero T
		return zero, err
	}
	return parse[T](f.Path, data)
}

// Update changes a file under its lock. A damaged file is renamed, reported, and treated
// as missing. If change fails, nothing is written.
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
			if err := f.SetAside(); err != nil {
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

// Patch lets a step overwrite bytes of a file under its lock. The file is not replaced, and
// nothing is made durable: whichever of the bytes a power failure leaves, and whichever of
// them a reader sees, the file must be valid. A missing file is an error.
func (f File) Patch(step func(disk.File) error) error {
	return f.locked(func(f File) error {
		file, err := f.FS.OpenFile(f.Path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && info.Size() > f.limit() {
			return &disk.TooLargeError{Path: f.Path, Max: f.limit()}
		}
		return step(file)
	})
}

// Rewrite changes the text of a file under its lock; nil means a missing file. If change
// fails, nothing is written.
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

// locked runs a step under the lock of the file. The step gets the file with its real
// path, because several homes may link to the same file.
func (f File) locked(step func(File) error) error {
	f.FS = f.fs()
	if real, err := filepath.EvalSymlinks(f.Path); err == nil {
		f.Path = real
	}
	if err := disk.MkdirAll(f.FS, filepath.Dir(f.Path), 0o700); err != nil {
		return err
	}
	patience := cmp.Or(f.Patience, DefaultPatience)
	unlock, err := disk.LockWithin(f.Path+".lock", patience)
	if errors.Is(err, disk.ErrLocked) {
		return fmt.Errorf("%s is locked by another process, which has not finished within %s; end it and try again",
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
	data, err := disk.ReadFile(f.fs(), f.Path, f.limit())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

func (f File) limit() int64 {
	if f.Max == 0 {
		return DefaultMax
	}
	return f.Max
}

func (f File) replace(before, after []byte) error {
	if before != nil && bytes.Equal(before, after) {
		return nil
	}
	if f.Private {
		return disk.ReplacePrivate(f.fs(), f.Path, after)
	}
	return disk.Replace(f.fs(), f.Path, after, 0o600)
}

// SetAside renames a damaged file to NAME.damaged-TIME and reports that. [Update] does so
// itself; it is for callers that replace files with [Write].
func (f File) SetAside() error {
	aside := fmt.Sprintf("%s.damaged-%d", f.Path, time.Now().UnixNano())
	if err := disk.Move(f.fs(), f.Path, aside); err != nil {
		return err
	}
	if f.Report != nil {
		f.Report(fmt.Sprintf("%s is damaged; it was renamed to %s and is rebuilt", f.Path, filepath.Base(aside)))
	}
	return nil
}

func (f File) fs() disk.FS {
	if f.FS == nil {
		return disk.OS{}
	}
	return f.FS
}

// parse reads a T. It rejects null, which would leave every field unchanged.
func parse[T any](path string, data []byte) (value T, err error) {
	if string(bytes.TrimSpace(data)) == "null" {
		return value, &DamagedError{path, errors.New("it is null")}
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
