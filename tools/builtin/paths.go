package builtin

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/private"
)

// openPath opens a file that the model named, if it may be read. The error for a path that
// is not allowed does not reveal whether it exists. The file is opened beneath an allowed
// directory, which no link can leave, and the check applies to the opened file, so that
// renames in the meantime have no effect.
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
		directory, name, ok := f.below(allowed, real)
		switch {
		case ok && f.MayRead != nil && !f.MayRead(real):
			return nil, toolErrorf("Path '%s' is kept from the file tools by a rule of [permissions]", path)
		case ok:
			return f.openBelow(directory, name, path)
		}
	}
	return nil, refused
}

// covers reports whether a path that does not exist is below an allowed path by its name.
func (f Files) covers(path string) bool {
	return slices.ContainsFunc(f.Allowed, func(allowed string) bool {
		root, err := filepath.Abs(f.expand(allowed))
		return err == nil && disk.IsBelow(root, path)
	})
}

// below splits a real path into an allowed directory and the path relative to it. For an
// allowed file it is the file's directory and name.
func (f Files) below(allowed, real string) (directory, name string, ok bool) {
	root, err := filepath.Abs(f.expand(allowed))
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil || !disk.IsBelow(root, real) {
		return "", "", false
	}
	if root == real {
		return filepath.Dir(root), filepath.Base(root), true
	}
	name, err = filepath.Rel(root, real)
	return root, name, err == nil
}

// openBelow opens a file below a directory. path is the argument of the model.
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
	if private.Of(f.Private, directory).Has(filepath.Join(directory, name), opened) {
		file.Close()
		return nil, toolErrorf("Path '%s' is one of chibi's own files with keys, settings or approvals, which the file "+
			"tools never read", path)
	}
	// A single allowed file must not be replaced by a link of the same name.
	if now, err := os.Lstat(filepath.Join(directory, name)); err != nil || !os.SameFile(now, opened) {
		file.Close()
		return nil, toolErrorf("Path '%s' was replaced while it was being opened; try again", path)
	}
	return file, nil
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
