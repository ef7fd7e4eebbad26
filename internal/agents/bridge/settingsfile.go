package bridge

import (
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

// settingsFile returns the path of a settings file; if it is a link, the path to which it leads.
func settingsFile(path string) (string, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real, nil
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", fmt.Errorf("%s is a link that leads nowhere", path)
	}
	return path, nil
}

// readSettings reads a file; nil: there is none.
func readSettings(path string) (text []byte, err error) {
	if path, err = settingsFile(path); err != nil {
		return nil, err
	}
	text, err = disk.ReadFile(disk.OS{}, path, maxSettings)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && text == nil:
		text = []byte{}
	}
	return text, err
}

// changeSettings changes a file: change gets its text, nil for none, and returns the new one, nil
// for none. If the agent or another program writes meanwhile, its text stays, and change runs again. made are the
// directories that it made for the file.
func changeSettings(path string, change func(text []byte) ([]byte, error)) (made []string, err error) {
	file, err := settingsFile(path)
	if err != nil {
		return nil, err
	}
	err = disk.Change(disk.OS{}, file, maxSettings, func(text []byte) ([]byte, error) {
		after, err := change(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if after != nil {
			var more []string
			more, err = makeDirs(filepath.Dir(file))
			made = append(made, more...)
		}
		return after, err
	})
	return made, err
}

// makeDirs makes a directory and its parents, and returns the directories that it made, the outermost first.
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
		err := disk.OS{}.Mkdir(at, 0o755)
		if errors.Is(err, fs.ErrExist) {
			continue // another program has made it meanwhile
		}
		if err != nil {
			return made, err
		}
		made = append(made, at)
	}
	return made, nil
}

// removeDirs removes directories that chibi made, as far as they are empty, and returns the others.
func removeDirs(made []string) (left []string) {
	for i, dir := range slices.Backward(made) {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			return made[:i+1]
		}
		_ = disk.OS{}.Remove(dir) // it stays, empty
	}
	return nil
}
