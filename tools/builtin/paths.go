package builtin

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
)

// openPath opens a file that the model named, if it may be read. What is not
// allowed is refused in the same words whether it exists or not. The path only
// says where to look: the file is opened below an allowed directory, which no link
// leads out of, and what was opened is what is judged, whoever changes names
// meanwhile.
func (f Files) openPath(path string) (*os.File, error) {
	if len(f.Allowed) == 0 {
		return nil, toolError("File path access is not allowed. Use cache_id to access cached tool outputs, or configure " +
			"file_tools_allowed_paths.")
	}
	refused := toolErrorf("Path '%s' is not under any allowed path. Allowed: %v", path, f.Allowed)
	absolute, err := filepath.Abs(f.expand(path))
	if err != nil {
		return nil, refused
	}
	real, err := filepath.EvalSymlinks(absolute)
	if err != nil {
		if f.covers(absolute) {
			return nil, toolErrorf("Could not resolve path '%s': no such file", path)
		}
		return nil, refused
	}
	for _, allowed := range f.Allowed {
		if directory, name, ok := f.below(allowed, real); ok {
			return f.openBelow(directory, name, path)
		}
	}
	return nil, refused
}

// covers reports whether a path, which leads to nothing, is below an allowed one
// by its name.
func (f Files) covers(path string) bool {
	return slices.ContainsFunc(f.Allowed, func(allowed string) bool {
		root, err := filepath.Abs(f.expand(allowed))
		return err == nil && isBelow(root, path)
	})
}

// below splits a real path into an allowed directory and the name from there on.
// An allowed file is its own directory's only one.
func (f Files) below(allowed, real string) (directory, name string, ok bool) {
	root, err := filepath.Abs(f.expand(allowed))
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil || !isBelow(root, real) {
		return "", "", false
	}
	if root == real {
		return filepath.Dir(root), filepath.Base(root), true
	}
	name, err = filepath.Rel(root, real)
	return root, name, err == nil
}

// openBelow opens a file below a directory. path is what the model called it.
func (f Files) openBelow(directory, name, path string) (*os.File, error) {
	file, err := disk.OpenBeneath(directory, name)
	if err != nil {
		return nil, err
	}
	opened, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	if f.isPrivate(directory, name, opened) {
		file.Close()
		return nil, toolErrorf("Path '%s' is one of chibi's own files with keys, settings or approvals, which the file "+
			"tools never read", path)
	}
	// A single allowed file must be that file, not a link that took its name.
	if now, err := os.Lstat(filepath.Join(directory, name)); err != nil || !os.SameFile(now, opened) {
		file.Close()
		return nil, toolErrorf("Path '%s' was replaced while it was being opened; try again", path)
	}
	return file, nil
}

// isBelow reports whether a path is another one or below it.
func isBelow(root, path string) bool {
	return path == root || strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/")
}

// expand replaces a leading ~ by the home directory.
func (f Files) expand(path string) string {
	if path == "~" {
		return f.Home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(f.Home, rest)
	}
	return path
}
