package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/trust"
)

// rootOf returns the root of the project that a directory belongs to:
// $CHIBI_PROJECT_ROOT, else the nearest directory upward that is under version control,
// else the directory itself.
func rootOf(dir string, env func(string) string) string {
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

// ToolRoot returns the directory that a project's tools may read and write in: its root, or
// the current directory if that is not under version control. It is never the person's
// home nor a directory above it: then it is "".
func (p Project) ToolRoot() string {
	for _, dir := range []string{p.Root, p.Dir} {
		if home, err := trust.RealPath(p.User); dir != "" && dir != filepath.Dir(dir) &&
			(p.User == "" || !isAbove(dir, p.User) && (err != nil || !isAbove(dir, home))) {
			return dir
		}
	}
	return ""
}

// isAbove reports whether a directory is another one or above it.
func isAbove(dir, other string) bool {
	rel, err := filepath.Rel(dir, other)
	return err == nil && filepath.IsLocal(rel)
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

// IsSameFile reports whether two paths lead to one file or directory, or are equal where there is
// none yet.
func IsSameFile(a, b string) bool {
	one, errA := os.Stat(a)
	other, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(one, other) || filepath.Clean(a) == filepath.Clean(b)
}

// AbsolutePlaces returns the variables that list places of programs, without places that are
// relative.
func AbsolutePlaces(getenv func(string) string) (env []string) {
	for _, name := range []string{"PATH", "PYTHONPATH", "PERL5LIB", "RUBYLIB", "NODE_PATH", "LD_LIBRARY_PATH"} {
		places := filepath.SplitList(getenv(name))
		if absolute := slices.DeleteFunc(places, func(place string) bool { return !filepath.IsAbs(place) }); len(places) > 0 {
			env = append(env, name+"="+strings.Join(absolute, string(filepath.ListSeparator)))
		}
	}
	return env
}
