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
	// Dirs are the directories in which commands may write. One with a link in its path does not count: a
	// command may have put it there, and may not write where it leads.
	Dirs []string
	// Projects are directories in these that have settings of agents too.
	Projects []string
	// Allowed may change, with all that is in them; those that are not absolute are below each of Dirs.
	// One of Dirs counts only if it is what is looked at in another one.
	Allowed []string
	// Home is the person's home directory; "": none.
	Home string
}

// New finds the files to look at: where the repositories of directories are, and their hooks.
func New(o Options) Watch {
	w := Watch{}
	for _, path := range o.Dirs {
		real, err := filepath.EvalSymlinks(path)
		if err == nil && real == path && !slices.ContainsFunc(w.places, func(p place) bool { return p.path == real }) {
			w.places = append(w.places, place{real, project()})
		}
	}
	for _, p := range w.places {
		for _, path := range o.Allowed {
			if !filepath.IsAbs(path) {
				w.allowed = append(w.allowed, filepath.Join(p.path, path))
				continue
			}
			rel, err := filepath.Rel(p.path, path)
			if err == nil && (isWatched(rel) || !slices.Contains(o.Dirs, path)) {
				w.allowed = append(w.allowed, path)
			}
		}
	}
	for _, path := range o.Projects {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			w.add(real, project())
			w.head(real)
		}
	}
	for _, p := range slices.Clone(w.places) {
		w.head(p.path)
		w.repository(p.path, o.Home)
	}
	return w
}

// isAllowed reports whether a path may change.
func (w Watch) isAllowed(path string) bool {
	return slices.ContainsFunc(w.allowed, func(allowed string) bool { return disk.IsBelow(allowed, path) })
}

// add adds a rule for a path, if commands may write there and there was none.
func (w Watch) add(path string, r *rule) (added bool) {
	for _, p := range w.places {
		switch rel, err := filepath.Rel(p.path, path); {
		case err != nil || !filepath.IsLocal(rel):
		case rel == ".":
			p.rule.take(r)
		default:
			added = p.rule.add(rel, r) || added
		}
	}
	return added
}

// repository finds the repository of a directory where that is not in .git, and where its hooks are.
func (w Watch) repository(dir, home string) {
	for _, name := range watched() {
		w.linked(filepath.Join(dir, name), project().names[name])
	}
	at := filepath.Join(dir, ".git")
	if real, err := filepath.EvalSymlinks(at); err == nil {
		at = real
	} else if isBare(dir) {
		at = dir
	}
	if path, ok := pathIn(at, "gitdir: "); ok {
		at = path
	}
	w.add(at, repository())
	if common, ok := pathIn(filepath.Join(at, "commondir"), ""); ok {
		at = common
		w.add(at, repository())
	}
	for name, r := range repositoryNames() {
		w.linked(filepath.Join(at, name), r)
	}
	w.settings(filepath.Join(at, "config"), paths{dir, home}, 0)
	for _, own := range []string{".gitconfig", ".config/git/config"} { // of the person, for all repositories
		if home != "" {
			w.settings(filepath.Join(home, own), paths{dir, home}, 0)
		}
	}
}

// head adds the file without which git does not take a directory itself for a repository, hooks and all.
func (w Watch) head(dir string) {
	if !isBare(dir) {
		w.add(filepath.Join(dir, "HEAD"), &rule{})
	}
}

// linked adds what a link leads to.
func (w Watch) linked(path string, r *rule) {
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		w.add(real, r)
	}
}

// paths are what paths in settings of git begin with.
type paths struct{ dir, home string }

// full returns a path of a setting as a full one without links; one that is relative is below base.
func (p paths) full(base, path string) string {
	switch rest, ofHome := strings.CutPrefix(path, "~/"); {
	case ofHome:
		path = filepath.Join(p.home, rest)
	case !filepath.IsAbs(path):
		path = filepath.Join(base, path)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// maxIncludes is how deep git's settings may include other files.
const maxIncludes = 10

// settings adds what settings of git lead to: files that they include, and hooks.
func (w Watch) settings(file string, p paths, depth int) {
	list, err := gitconfig.Parse(read(file))
	if err != nil || depth == maxIncludes {
		return
	}
	for _, s := range list {
		switch {
		case s.Name == "core.hookspath" && s.Value != "":
			w.add(p.full(p.dir, s.Value), hooks())
		case s.Name == "include.path" || strings.HasPrefix(s.Name, "includeif.") && strings.HasSuffix(s.Name, ".path"):
			included := p.full(filepath.Dir(file), s.Value)
			if w.add(included, &rule{config: true}) { // it was not seen before
				w.settings(included, p, depth+1)
			}
		}
	}
}

// isBare reports whether a directory is a repository without a working tree.
func isBare(dir string) bool {
	return !slices.ContainsFunc([]string{"HEAD", "objects", "refs"}, func(name string) bool {
		return !disk.IsTaken(filepath.Join(dir, name))
	})
}

// pathIn returns the path in a file that leads to a directory of git.
func pathIn(file, prefix string) (path string, ok bool) {
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
