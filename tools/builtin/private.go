package builtin

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/contexts"
)

// privateNames lists substrings of the names of files in chibi's home that hold keys,
// settings or approvals. They also match backups of damaged files and temporary files of
// a killed run.
func privateNames() []string {
	return []string{"config.toml", "models.toml", "trust.json", "installed.json", "local.toml"}
}

// isPrivate reports whether an opened file is a private file of chibi's home, under
// whatever name it was opened.
func (f Files) isPrivate(directory, name string, opened os.FileInfo) bool {
	home, err := filepath.EvalSymlinks(f.Private)
	if f.Private == "" || err != nil {
		return false
	}
	if path := filepath.Join(directory, name); isBelow(home, path) && hasPrivateName(path) {
		return true
	}
	dirs := []string{home}
	if isBelow(home, directory) || isBelow(directory, home) {
		dirs = append(dirs, contexts.Layout{Home: home}.Directories()...)
	}
	return slices.ContainsFunc(dirs, func(dir string) bool { return holds(dir, opened) })
}

func hasPrivateName(path string) bool {
	base := strings.ToLower(filepath.Base(path))
	return slices.ContainsFunc(privateNames(), func(name string) bool { return strings.Contains(base, name) })
}

// holds reports whether one of a directory's private files is the opened one.
func holds(dir string, opened os.FileInfo) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		if !hasPrivateName(e.Name()) {
			return false
		}
		info, err := os.Stat(filepath.Join(dir, e.Name()))
		return err == nil && os.SameFile(info, opened)
	})
}
