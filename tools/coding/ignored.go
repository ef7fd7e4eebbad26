package coding

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/glob"
)

// maxIgnoreFile bounds what is read of a file such as .gitignore, in bytes.
const maxIgnoreFile = 1 << 20

// ignored are the rules that hold in a directory of a walk: the rules of its own files and of the
// directories above it.
type ignored struct {
	above *ignored
	rules glob.Ignore
	// The rules are about paths from their directory: prefix, and a path of the walk without
	// its first skip bytes.
	prefix string
	skip   int
}

// hides reports whether the rules hide a file or directory, whose path begins at the root of the walk.
// The nearest rules decide.
func (i *ignored) hides(e glob.Entry) bool {
	path := e.Path
	for ; i != nil; i = i.above {
		e.Path = path[i.skip:]
		if i.prefix != "" {
			e.Path = i.prefix + e.Path
		}
		if isHidden, isDecided := i.rules.Match(e); isDecided {
			return isHidden
		}
	}
	return false
}

// with returns the rules of a directory whose own rules are these.
func (i *ignored) with(own ignored) *ignored {
	if own.rules.IsEmpty() {
		return i
	}
	own.above = i
	return &own
}

// isIgnoreFile reports whether a file has rules; the rules of .ignore come after the rules of
// .gitignore, and so beat them.
func isIgnoreFile(name string) bool { return name == ".gitignore" || name == ".ignore" }

func readRules(rules *glob.Ignore, f io.Reader) {
	text, _ := io.ReadAll(io.LimitReader(f, maxIgnoreFile)) // what could be read holds
	rules.Add(string(text))
}

// ignoredAbove returns the rules that directories above one have for it, from the top of
// its repository on. Outside a repository there are none.
func ignoredAbove(top string) *ignored {
	repository := top
	for !disk.IsTaken(filepath.Join(repository, ".git")) {
		parent := filepath.Dir(repository)
		if parent == repository {
			return nil
		}
		repository = parent
	}
	var rules *ignored
	rules = rules.with(rulesAt(filepath.Join(repository, ".git", "info"), "exclude").from(repository, top))
	if repository == top {
		return rules
	}
	below, err := filepath.Rel(repository, top)
	if err != nil {
		return rules
	}
	dir := repository
	for name := range strings.SplitSeq(below, string(filepath.Separator)) {
		rules = rules.with(rulesAt(dir, ".gitignore", ".ignore").from(dir, top))
		dir = filepath.Join(dir, name)
	}
	return rules
}

func rulesAt(path string, files ...string) (i ignored) {
	dir, err := disk.OpenDir(path)
	if err != nil {
		return i
	}
	defer dir.Close()
	for _, name := range files {
		var f *os.File
		if f, err = dir.OpenRegular(name); err == nil {
			readRules(&i.rules, f)
			f.Close()
		}
	}
	return i
}

// from says from which directory paths are counted in a walk that starts at top.
func (i ignored) from(dir, top string) ignored {
	if below, err := filepath.Rel(dir, top); err == nil && below != "." {
		i.prefix = filepath.ToSlash(below) + "/"
	}
	return i
}
