package recipes

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/trust"
)

// Compact is the recipe whose prompt asks for a summary of a conversation.
const Compact = "compact"

//go:embed builtin
var builtin embed.FS

// Dir is a directory of recipes.
type Dir struct {
	// Path is the directory. A missing one holds no recipes.
	Path string
	// Prefix is what its recipes' names begin with, before their paths in it:
	// "org/repo/" for the recipes of a plugin.
	Prefix string
	// Check returns why a text, which was read from a file of this path and mode, must
	// not be trusted. A nil Check means that all files are the person's own.
	Check func(path string, text []byte, mode fs.FileMode) error
}

// Library finds recipes: in its directories, the first one first, then among those
// that are built in. It is safe for concurrent use.
type Library struct {
	// Dirs are searched in this order.
	Dirs []Dir
	// Texts name files, by recipe, whose text takes the place of a built-in
	// recipe's body. A missing or empty file has no effect.
	Texts map[string]string
}

// files returns the paths at which the directory may have a recipe. Where files need to be
// approved, only those that Files lists can be one.
func (d Dir) files(name string) (paths []string) {
	inside, ok := strings.CutPrefix(name, d.Prefix)
	if !ok || inside == "" {
		return nil
	}
	path := filepath.Join(d.Path, filepath.FromSlash(inside))
	if d.Check != nil {
		return []string{path + ".md"}
	}
	return []string{path + ".md", path}
}

// ErrNotFound means that there is no recipe of a name.
var ErrNotFound = errors.New("there is no such recipe")

// Find returns the recipe that a person named. A recipe that is not approved is found only
// if there is no other one with its name: it never replaces a person's own recipe or a
// built-in one. Errors are ErrNotFound and errors of its file.
func (l *Library) Find(name string) (*Recipe, error) {
	r, skipped, err := l.find(name)
	if skipped == nil {
		return r, err
	}
	if errors.Is(err, ErrNotFound) {
		return skipped.parse(name)
	}
	if err == nil {
		r.Notes = append(r.Notes, Note{Text: fmt.Sprintf("%s is %v, so this one is used; see chibi trust",
			skipped.path, skipped.why)})
	}
	return r, err
}

// FindApproved returns a recipe that a program requests, not a person: it skips files that
// are not approved.
func (l *Library) FindApproved(name string) (*Recipe, error) {
	r, _, err := l.find(name)
	return r, err
}

// source is a recipe's file as it was read, once: what is parsed is what was
// checked.
type source struct {
	path string
	text []byte
	err  error // why there is no text
	why  error // why it is not approved; nil: it is, or needs no approval
}

// find returns the first approved recipe, and the first file that it skipped because it is
// not approved.
func (l *Library) find(name string) (r *Recipe, skipped *source, err error) {
	if err := validName(name); err != nil {
		return nil, nil, err
	}
	for _, dir := range l.Dirs {
		for _, path := range dir.files(name) {
			if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
				continue
			}
			s := dir.read(path)
			if s.why == nil {
				r, err = s.parse(name)
				return r, skipped, err
			}
			if skipped == nil {
				skipped = &s
			}
		}
	}
	r, err = l.builtin(name)
	return r, skipped, err
}

// read reads one file and checks whether what was read is approved.
func (d Dir) read(path string) source {
	s := source{path: path}
	var mode fs.FileMode
	s.text, mode, s.err = readText(path)
	switch {
	case d.Check == nil:
	case s.err != nil:
		s.why = fmt.Errorf("%w: %v", trust.ErrUntrusted, s.err)
	default:
		s.why = d.Check(path, s.text, mode)
	}
	return s
}

// readText reads a file's text and mode. Of a file that is too large it reads so much that
// Parse rejects it.
func readText(path string) (text []byte, mode fs.FileMode, err error) {
	file, err := disk.OpenRegular(path)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	text, err = io.ReadAll(io.LimitReader(file, maxFile+1))
	return text, info.Mode(), err
}

// parse parses what was read.
func (s source) parse(name string) (*Recipe, error) {
	if s.err != nil {
		return nil, fmt.Errorf("recipe %q: %w", name, s.err)
	}
	r, err := Parse(name, s.path, s.text)
	if err != nil {
		return nil, fmt.Errorf("recipe %q: %w", name, err)
	}
	r.unapproved = s.why
	return r, nil
}

// builtin finds a recipe that comes with the program.
func (l *Library) builtin(name string) (*Recipe, error) {
	text, err := builtin.ReadFile("builtin/" + name + ".md")
	if err != nil {
		return nil, fmt.Errorf("recipe %q: %w; chibi recipe list names them all", name, ErrNotFound)
	}
	r, err := Parse(name, "", text)
	if err != nil || l.Texts[name] == "" {
		return r, err
	}
	own, err := disk.ReadFile(disk.OS{}, l.Texts[name], maxFile)
	if err == nil && strings.TrimSpace(string(own)) != "" {
		r.Body, r.Path = escape(string(own)), l.Texts[name]
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("recipe %q: %w", name, err)
	}
	return r, nil
}

// escape returns a template that produces the text.
func escape(text string) string { return strings.ReplaceAll(text, "{{", `{{"{{"}}`) }

// validName rejects names that lead out of the directories or to hidden files.
func validName(name string) error {
	hidden := func(part string) bool { return part == "" || strings.HasPrefix(part, ".") }
	if !filepath.IsLocal(name) || strings.ContainsAny(name, "\\\x00\n") ||
		slices.ContainsFunc(strings.Split(name, "/"), hidden) {
		return fmt.Errorf("%q is not a valid recipe name; write it like review or github/pr", name)
	}
	return nil
}

// Listed is a recipe, or the error of its file.
type Listed struct {
	// Name and Path belong to the recipe; Path is "" for a built-in one.
	Name, Path string
	// Recipe is nil if Err is not.
	Recipe *Recipe
	Err    error
}

// The bounds of listing a directory.
const (
	maxListed = 1000
	maxDepth  = 5
)

// List lists all recipes by name, recipes of the same name in the order of their directories.
// Of these the first that is approved is found, see Find.
func (l *Library) List() []Listed {
	var list []Listed
	for _, dir := range l.Dirs {
		for _, name := range names(os.DirFS(dir.Path)) {
			path := filepath.Join(dir.Path, filepath.FromSlash(name)+".md")
			r, err := dir.read(path).parse(dir.Prefix + name)
			list = append(list, Listed{dir.Prefix + name, path, r, err})
		}
	}
	for _, name := range names(sub(builtin, "builtin")) {
		r, err := l.builtin(name)
		list = append(list, Listed{Name: name, Recipe: r, Err: err})
	}
	slices.SortStableFunc(list, func(a, b Listed) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Files lists the recipes in a directory, as paths from it on.
func Files(dir string) []string {
	var files []string
	for _, name := range names(os.DirFS(dir)) {
		files = append(files, filepath.FromSlash(name)+".md")
	}
	return files
}

// names lists the recipes in a directory and those below it.
func names(dir fs.FS) (list []string) {
	fs.WalkDir(dir, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || path == ".":
			return nil
		case len(list) >= maxListed:
			return fs.SkipAll
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") || strings.Count(path, "/") >= maxDepth):
			return fs.SkipDir
		}
		name, isRecipe := strings.CutSuffix(path, ".md")
		if info, err := fs.Stat(dir, path); isRecipe && err == nil && info.Mode().IsRegular() &&
			!strings.HasPrefix(d.Name(), ".") {
			list = append(list, name)
		}
		return nil
	})
	return list
}

// sub returns a directory in another one.
func sub(fsys fs.FS, dir string) fs.FS {
	below, err := fs.Sub(fsys, dir)
	if err != nil {
		return fsys
	}
	return below
}
