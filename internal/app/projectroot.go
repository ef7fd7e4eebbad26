package app

import (
	"os"
	"path/filepath"
)

// projectRoot returns the root of the project that a directory belongs to:
// $CHIBI_PROJECT_ROOT, else the nearest directory upward that is under version control,
// else the directory itself.
func projectRoot(dir string, env func(string) string) string {
	if set := env("CHIBI_PROJECT_ROOT"); set != "" {
		if absolute, err := filepath.Abs(set); err == nil {
			return absolute
		}
		return set
	}
	for at := dir; at != ""; at = filepath.Dir(at) {
		if isVersioned(at) {
			return at
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return dir
}

// isVersioned reports whether a directory has the metadata of a version control system.
// Git's is a file in worktrees and submodules.
func isVersioned(dir string) bool {
	for _, marker := range []string{".git", ".hg", ".svn", ".jj", ".bzr", ".pijul", ".fslckout", "_FOSSIL_"} {
		if _, err := os.Lstat(filepath.Join(dir, marker)); err == nil {
			return true
		}
	}
	return false
}
