package theirs

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/foreign"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// itself says which hooks another agent runs by itself in its sessions. In doubt the agent does not run a hook: a
// hook that runs twice is better than a guard that does not run.
type itself struct {
	dialect engine.Dialect
	files   []itsFile
}

// itsFile is a settings file that the agent reads.
type itsFile struct {
	path string
	// reading says how it reads a file of another agent; nil: the file is its own.
	reading *engine.Reading
	// isProject says that the file comes with a project. It then counts for hooks of the project only, so that a
	// link in a repository cannot take the person's guard out.
	isProject bool
}

// itselfIn returns the hooks that the agent of this session runs by itself; nil: it is a session of chibi.
func itselfIn(o Options) *itself {
	d, isAgent := agents.ByName(o.In)
	if !isAgent {
		return nil
	}
	look, i := lookerOf(o), &itself{dialect: d}
	i.add(look.Own(d), nil)
	for _, dir := range o.Project.Upward() {
		i.add(foreign.Project(d, []string{dir}), nil)
	}
	for n := range d.Reads {
		i.add(readingOf(o, d.Reads[n]).files(look), &d.Reads[n])
	}
	return i
}

// add adds files that the agent reads.
func (i *itself) add(list []foreign.Candidate, how *engine.Reading) {
	for _, c := range list {
		i.files = append(i.files, itsFile{c.Path, how, isOfProject(c.Place)})
	}
}

// isOfProject reports whether a place is in a project.
func isOfProject(p engine.Place) bool {
	return p.Scope == engine.ScopeProject || p.Scope == engine.ScopeLocal
}

// reading says how an agent reads the files of another agent in a directory.
type reading struct {
	engine.Reading
	dir string // where the session began, "" if there is no such directory
}

// readingOf returns this for the directory that the agent's variable names, or the current one.
func readingOf(o Options, r engine.Reading) reading {
	dir := os.Getenv(r.Variable)
	if r.Variable == "" || !filepath.IsAbs(dir) {
		dir = o.Project.Dir
	}
	return reading{r, dir}
}

// files lists the files that the agent reads.
func (r reading) files(look foreign.Looker) (list []foreign.Candidate) {
	if r.If != "" || r.dir == "" || !r.isTrusted(look) {
		return nil
	}
	other, _ := agents.ByName(r.Agent)
	list = slices.Concat(look.Own(other), foreign.Project(other, []string{repositoryOf(r.dir)}))
	return slices.DeleteFunc(list, func(c foreign.Candidate) bool { return !slices.Contains(r.Scopes, c.Scope) })
}

// repositoryOf returns the root of the git repository around a directory, or the directory itself if there is none.
func repositoryOf(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// maxFolders bounds the file in which an agent lists the directories that it trusts.
const maxFolders = 1 << 20

// isTrusted reports whether the agent trusts the directory, or one above it.
func (r reading) isTrusted(look foreign.Looker) bool {
	if r.Folders == "" {
		return true
	}
	text, err := disk.ReadFile(disk.OS{}, look.Path(r.Trusted), maxFolders)
	if err != nil {
		return false
	}
	text = strictjson.WithoutComments(text)
	real, err := filepath.EvalSymlinks(r.dir)
	if err != nil || strictjson.Check(text) != nil {
		return false
	}
	for _, folder := range gjson.ParseBytes(text).Get(r.Folders).Array() {
		at, err := filepath.EvalSymlinks(folder.Str)
		if err == nil && filepath.IsAbs(folder.Str) && (at == real || disk.IsBelow(at, real)) {
			return true
		}
	}
	return false
}

// takes says how the agent reads a file by itself; nil: it does not.
func (i *itself) takes(f *hookFile) *taking {
	if i == nil {
		return nil
	}
	at := slices.IndexFunc(i.files, func(its itsFile) bool {
		return (f.isProject || !its.isProject) && project.IsSameFile(its.path, f.Path)
	})
	switch {
	case at < 0:
		return nil
	case i.files[at].reading == nil:
		return &taking{in: i.dialect, kinds: i.dialect.Shape.Kinds, args: true}
	case i.refuses(*i.files[at].reading, f.File):
		return nil
	}
	return &taking{in: i.dialect, kinds: i.files[at].reading.Kinds}
}

// taking says which hooks of a file an agent runs by itself: the types of handlers, and whether they may have
// arguments of their own.
type taking struct {
	in    engine.Dialect
	kinds []engine.HandlerKind
	args  bool
}

// runs returns a function that reports whether the agent runs a hook of the file itself at a moment; nil: it never
// does.
func (t *taking) runs(h hook) func(engine.Moment) bool {
	if t == nil || h.Exec && !t.args || !slices.Contains(t.kinds, h.Kind) {
		return nil
	}
	e, known := t.in.Event(h.Event)
	if !known || e.Handlers != nil && !slices.Contains(e.Handlers, h.Kind) {
		return nil
	}
	matches, err := t.in.Matches(e, h.Matcher)
	if err != nil {
		return nil
	}
	return func(m engine.Moment) bool { return matches(t.in.Matched(e, m)) }
}

// refuses reports whether the agent refuses a file of another agent because it cannot read one of the handlers. It
// then runs no hook of the file.
func (i *itself) refuses(r engine.Reading, f foreign.File) bool {
	if len(f.Problems) > 0 || bytes.HasPrefix(f.Text, []byte("\ufeff")) {
		return true
	}
	isBad := func(h gjson.Result) bool {
		kind, limit := engine.CommandHandler, h.Get("timeout")
		if h.Get("type").Exists() {
			kind = engine.HandlerKind(h.Get("type").Str)
		}
		return !slices.Contains(r.Kinds, kind) || limit.Exists() && limit.Num <= 0 || h.Get("exec").Exists() ||
			kind == engine.HTTPHandler && !strings.HasPrefix(h.Get("url").Str, "https://")
	}
	other, _ := agents.ByName(r.Agent)
	bad := false
	gjson.ParseBytes(f.Text).Get(other.Shape.Root).ForEach(func(event, list gjson.Result) bool {
		if _, known := i.dialect.Event(event.Str); known {
			for _, group := range list.Array() {
				bad = bad || slices.ContainsFunc(group.Get("hooks").Array(), isBad)
			}
		}
		return !bad
	})
	return bad
}
