package bridge

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonedit"
)

// maxSettings bounds a settings file, in bytes.
const maxSettings = jsonedit.MaxBytes

// settingsFile is a file of an agent that is changed.
type settingsFile struct {
	path string // with links resolved
	text []byte // as it was read; nil: there is none
}

// readSettings reads a file. Of a link the target is meant.
func readSettings(path string) (f settingsFile, err error) {
	f.path = path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		f.path = real
	} else if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return f, fmt.Errorf("%s is a link that leads nowhere", path)
	}
	f.text, err = disk.ReadFile(disk.OS{}, f.path, maxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if f.text == nil {
		f.text = []byte{}
	}
	return f, err
}

// errChanged means that somebody else wrote a file in the midst of a change.
var errChanged = errors.New("another program changes it all the time; try again when it is left alone")

// attempts is how often a change is tried while others write.
const attempts = 5

// changeSettings changes a file: change gets its text, nil for none, and returns the new one, nil
// for none. The file is read again just before it is replaced, and if somebody else has written,
// the change is made again. made are the directories that were made for it.
func changeSettings(path string, change func(text []byte) ([]byte, error)) (made []string, err error) {
	for range attempts {
		f, err := readSettings(path)
		if err != nil {
			return made, err
		}
		after, err := change(bytes.Clone(f.text))
		if err != nil {
			return made, fmt.Errorf("%s: %w", path, err)
		}
		if bytes.Equal(after, f.text) && (after == nil) == (f.text == nil) {
			return made, nil
		}
		if after != nil {
			more, err := makeDirs(filepath.Dir(f.path))
			if made = append(made, more...); err != nil {
				return made, err
			}
		}
		again, err := readSettings(path)
		if err != nil {
			return made, err
		}
		if !bytes.Equal(again.text, f.text) || (again.text == nil) != (f.text == nil) {
			continue
		}
		if after == nil {
			return made, disk.OS{}.Remove(f.path)
		}
		return made, disk.Replace(disk.OS{}, f.path, after, 0o644)
	}
	return made, fmt.Errorf("%s: %w", path, errChanged)
}

// makeDirs makes a directory and those that it is in, and returns what it made, the outermost
// first.
func makeDirs(dir string) (made []string, err error) {
	var missing []string
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil || at == filepath.Dir(at) {
			break
		}
		missing = append(missing, at)
	}
	slices.Reverse(missing)
	for _, at := range missing {
		if err := (disk.OS{}).Mkdir(at, 0o755); err != nil {
			return made, err
		}
		made = append(made, at)
	}
	return made, nil
}

// removeDirs removes directories that were made, as far as they are empty, and returns the others.
func removeDirs(made []string) (left []string) {
	for i, dir := range slices.Backward(made) {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			return made[:i+1]
		}
		_ = disk.OS{}.Remove(dir) // it stays, empty
	}
	return nil
}
