package baseline

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/gitconfig"
)

// Watch says what is looked at.
type Watch struct {
	places  []place
	allowed []string
}

// place is a directory in which commands may write.
type place struct {
	path string // without links
	rule *rule
}

// Options say what is looked at. Paths are absolute.
type Options struct {
	// Dirs are the directories in which commands may write.
	Dirs []string
	// Projects are directories in these that have settings of agents too.
	Projects []string
	// Allowed may change, with all that is in them; those that are not absolute are below each of Dirs.
	Allowed []string
	// Home is the person's home directory; "": none.
	Home string
}

// New finds what is to be looked at: where the repositories of directories are, and their hooks.
func New(o Options) Watch {
	w := Watch{}
	for _, path := range o.Dirs {
		real, err := filepath.EvalSymlinks(path)
		if err == nil && !slices.ContainsFunc(w.places, func(p place) bool { return p.path == real }) {
			w.places = append(w.places, place{real, project()})
		}
	}
	for _, p := range w.places {
		for _, path := range o.Allowed {
			if !filepath.IsAbs(path) {
				w.allowed = append(w.allowed, filepath.Join(p.path, path))
			} else if rel, err := filepath.Rel(p.path, path); err == nil && isWatched(rel) {
				w.allowed = append(w.allowed, path)
			}
		}
	}
	for _, path := range o.Projects {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			w.add(real, project())
		}
	}
	for _, p := range slices.Clone(w.places) {
		w.repository(p.path, o.Home)
	}
	return w
}

// isAllowed reports whether a path may change.
func (w Watch) isAllowed(path string) bool {
	return slices.ContainsFunc(w.allowed, func(allowed string) bool { return disk.IsBelow(allowed, path) })
}

// add adds a rule for a path, if commands may write there.
func (w Watch) add(path string, r *rule) {
	for _, p := range w.places {
		switch rel, err := filepath.Rel(p.path, path); {
		case err != nil || !filepath.IsLocal(rel):
		case rel == ".":
			p.rule.take(r)
		default:
			p.rule.add(rel, r)
		}
	}
}

// repository finds the repository of a directory where that is not in .git, and where its hooks are.
func (w Watch) repository(dir, home string) {
	at := filepath.Join(dir, ".git")
	if real, err := filepath.EvalSymlinks(at); err == nil {
		at = real
	} else if isBare(dir) {
		at = dir
	}
	if path, ok := linked(at, "gitdir: "); ok {
		at = path
		w.add(at, repository())
	} else if at != filepath.Join(dir, ".git") {
		w.add(at, repository())
	}
	if common, ok := linked(filepath.Join(at, "commondir"), ""); ok {
		at = common
		w.add(at, repository())
	}
	if path, ok := hooksPath(filepath.Join(at, "config"), dir, home); ok {
		w.add(path, hooks())
	}
}

// isBare reports whether a directory is a repository without a working tree.
func isBare(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if !disk.IsTaken(filepath.Join(dir, name)) {
			return false
		}
	}
	return true
}

// linked returns the path in a file that leads to a directory of git.
func linked(file, prefix string) (path string, ok bool) {
	path, ok = strings.CutPrefix(strings.TrimRight(string(read(file)), "\r\n"), prefix)
	if path == "" || !ok {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	path, err := filepath.EvalSymlinks(path)
	return path, err == nil
}

// read reads a small file; nil: it cannot be read.
func read(file string) []byte {
	f, err := disk.OpenRegular(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	var data bytes.Buffer
	if _, err := data.ReadFrom(io.LimitReader(f, gitconfig.MaxFile+1)); err != nil {
		return nil
	}
	return data.Bytes()
}

// hooksPath returns where a repository's settings say that its hooks are.
func hooksPath(file, dir, home string) (path string, ok bool) {
	settings, err := gitconfig.Parse(read(file))
	if err != nil {
		return "", false
	}
	for _, s := range settings {
		if s.Name == "core.hookspath" {
			path = s.Value
		}
	}
	switch rest, ofHome := strings.CutPrefix(path, "~/"); {
	case path == "":
		return "", false
	case ofHome:
		path = filepath.Join(home, rest)
	case !filepath.IsAbs(path):
		path = filepath.Join(dir, path)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path, true
}
