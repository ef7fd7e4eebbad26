// Package private knows the files of chibi's home that hold keys, settings or approvals, and
// that no tool of the model ever reads.
//
// It promises that such a file is recognised by device and inode, so also under the name of a
// link. It reads directories only, and keeps no state.
package private

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
)

// names lists substrings of the names of files in chibi's home that hold keys, settings or
// approvals. They also match backups of damaged files and temporary files of a killed run.
func names() []string {
	return []string{"config.toml", "models.toml", "trust.json", "installed.json", "local.toml", "mcp-tokens.json",
		"mcp-approved.json", "agent-hooks.json", "credentials", ".nk", ".creds", "pgpass"}
}

// Files are the private files of a home, as they were when [Of] looked. It is safe for
// concurrent use. The zero value holds nothing.
type Files struct {
	home  string
	infos []os.FileInfo
}

// Of finds the private files of a home; "" has none. Those of its contexts are only looked
// for if the directory near, whose path has no links, is in the home or above it; outside of
// that, a second hard link to such a file is not recognised.
func Of(home, near string) Files {
	real, err := filepath.EvalSymlinks(home)
	if home == "" || err != nil {
		return Files{}
	}
	dirs := []string{real}
	if disk.IsBelow(real, near) || disk.IsBelow(near, real) {
		dirs = directories(real)
	}
	f := Files{home: real}
	for _, dir := range dirs {
		for _, path := range in(dir, IsName) {
			if info, err := os.Stat(path); err == nil {
				f.infos = append(f.infos, info)
			}
		}
	}
	return f
}

// Has reports whether an opened file is one of them. path has no links.
func (f Files) Has(path string, opened os.FileInfo) bool {
	return f.HasOpened(path, func(info os.FileInfo) bool { return os.SameFile(info, opened) })
}

// HasOpened is Has for a file that compares itself with others.
func (f Files) HasOpened(path string, isSame func(os.FileInfo) bool) bool {
	return f.home != "" && (disk.IsBelow(f.home, path) && IsName(path) || slices.ContainsFunc(f.infos, isSame))
}

// directories lists the directories of a home that may have private files: its own, and the
// directories of its contexts, also of contexts that are being deleted. A
// test compares them with the layout of package contexts.
func directories(home string) []string {
	return append([]string{home}, in(filepath.Join(home, "contexts"), func(string) bool { return true })...)
}

// in lists the entries of a directory whose names are wanted.
func in(dir string, isWanted func(name string) bool) (paths []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if isWanted(e.Name()) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}

// IsName reports whether a file in chibi's home is private by its name.
func IsName(path string) bool {
	base := strings.ToLower(filepath.Base(path))
	return slices.ContainsFunc(names(), func(name string) bool { return strings.Contains(base, name) })
}
