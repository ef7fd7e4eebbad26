package baseline

import (
	"path/filepath"
	"slices"
	"strings"
)

// rule says what is looked at below a name.
type rule struct {
	// names have rules of their own, each is for every other name; nil: these are not looked at.
	names map[string]*rule
	each  *rule
	// isRepository says that each is only for a directory that is not a repository.
	isRepository bool
	// ignored is the end of names that are not looked at.
	ignored string
	// config says that a file has settings of git.
	config bool
	// usual is the content with which a file counts as missing.
	usual string
}

// watched are the names that are looked at in a directory in which commands may write.
func watched() []string { return []string{".git", ".claude", ".mcp.json", ".chibi"} }

// project is the rule for such a directory.
func project() *rule {
	claude := everything()
	return &rule{names: map[string]*rule{
		".git": repository(), ".mcp.json": everything(), ".chibi": everything(),
		// Claude Code makes whole working trees there.
		".claude": {names: map[string]*rule{"worktrees": {}}, each: claude},
	}}
}

// everything is the rule for a file or a directory with all that is in it.
func everything() *rule {
	r := &rule{}
	r.each = r
	return r
}

// hooks is the rule for a directory of hooks. Git does not run its samples.
func hooks() *rule {
	r := &rule{ignored: ".sample"}
	r.each = r
	return r
}

// repository is the rule for a directory of git, with the repositories of submodules.
func repository() *rule {
	modules := &rule{names: repositoryNames(), isRepository: true}
	modules.each, modules.names["modules"] = modules, &rule{each: modules}
	r := &rule{names: repositoryNames()}
	r.names["modules"] = &rule{each: modules}
	return r
}

// repositoryNames are the parts of a directory of git by which git runs something, or takes
// settings from elsewhere.
func repositoryNames() map[string]*rule {
	settings := &rule{config: true}
	return map[string]*rule{
		"hooks": hooks(), "config": settings, "config.worktree": settings, "commondir": {},
		"worktrees": {each: &rule{names: map[string]*rule{"config.worktree": settings, "commondir": {usual: "../..\n"}}}},
	}
}

// for returns the rule for a name; nil: it is not looked at.
func (r *rule) of(name string) *rule {
	switch inner := r.names[name]; {
	case inner != nil:
		return inner
	case r.ignored != "" && strings.HasSuffix(name, r.ignored):
		return nil
	}
	return r.each
}

// add adds a rule for a path below; false: there is one for it.
func (r *rule) add(path string, inner *rule) bool {
	parts := strings.Split(filepath.ToSlash(path), "/")
	for _, name := range parts[:len(parts)-1] {
		next := r.names[name]
		switch {
		case next == nil && r.each != nil: // all of it is looked at
			return false
		case next == nil:
			next = &rule{}
			r.set(name, next)
		}
		r = next
	}
	name := parts[len(parts)-1]
	known := r.names[name]
	switch {
	case known == nil && r.each == nil:
		r.set(name, inner)
		return true
	case known != nil && known.each == nil:
		known.each = inner.each
		known.take(inner)
	}
	return false
}

// take takes over the rules for names that another rule has.
func (r *rule) take(other *rule) {
	for name, inner := range other.names {
		if r.names[name] == nil {
			r.set(name, inner)
		}
	}
}

func (r *rule) set(name string, inner *rule) {
	if r.names == nil {
		r.names = map[string]*rule{}
	}
	r.names[name] = inner
}

// isWatched reports whether a path in a directory belongs to what is looked at there.
func isWatched(path string) bool {
	first, _, _ := strings.Cut(filepath.ToSlash(path), "/")
	return slices.Contains(watched(), first)
}
