package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/agents/theirs"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/recipes"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/kodelet"
)

// writableByOthers finds files that others may change and that run or determine what
// runs: programs, plugins, recipes and the configuration.
func writableByOthers(home string, plugins []plugin.Plugin) []finding {
	w := &writers{seen: map[string]bool{}, left: maxLooked}
	w.above(home)
	w.files(home)
	for _, name := range []string{"config.toml", "models.toml", "trust.json", "installed.json", "mcp-approved.json",
		"mcp-tokens.json", theirs.KnownName} {
		w.files(filepath.Join(home, name))
	}
	layout := contexts.Layout{Home: home}
	w.files(layout.Contexts())
	for _, path := range layout.LocalConfigs() {
		w.files(filepath.Dir(path), path)
	}
	w.trees(filepath.Join(home, "plugins"), filepath.Join(home, recipes.HomeDir))
	if user := project.UserHome(); user != "" {
		w.files(filepath.Join(user, ".kodelet"), filepath.Join(user, ".kodelet", "plugins"))
		for _, dir := range append(kodelet.HookDirs(user), kodelet.PluginDirs(user, "recipes")...) {
			w.files(filepath.Dir(dir.Path))
			w.trees(dir.Path)
		}
		w.trees(filepath.Join(user, recipes.KodeletDir))
	}
	for _, p := range plugins {
		if filepath.IsAbs(p.Origin.Path) {
			w.target(p.Origin.Path)
		}
	}
	return w.found
}

const maxLooked = 10_000

type writers struct {
	seen  map[string]bool // paths that were checked
	left  int             // how many more may be checked
	found []finding
}

// files checks files and directories, not the content of the directories.
func (w *writers) files(paths ...string) {
	for _, path := range paths {
		w.walk(path, func(entry fs.DirEntry) bool { return !entry.IsDir() })
	}
}

// trees checks directories and everything in them.
func (w *writers) trees(paths ...string) {
	for _, path := range paths {
		w.walk(path, func(fs.DirEntry) bool { return true })
	}
}

// walk checks a path and the content of the directories that enters permits.
func (w *writers) walk(root string, enters func(fs.DirEntry) bool) {
	var weak []weakness
	filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || w.left == 0 {
			return fs.SkipAll
		}
		if isLink := entry.Type()&fs.ModeSymlink != 0; isLink && !w.seen[path] {
			w.seen[path] = true
			w.target(path)
		} else if info, err := os.Lstat(path); err == nil && !isLink && !w.seen[path] {
			w.seen[path] = true
			w.left--
			weak = append(weak, weaknesses(path, info)...)
		}
		if !enters(entry) {
			return fs.SkipDir
		}
		return nil
	})
	w.found = append(w.found, writable(root, weak)...)
}

func (w *writers) target(path string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return // a broken link
	}
	w.trees(real)
	w.above(real)
}

// above checks the directories above a path, because whoever may change one of them may
// replace its content.
func (w *writers) above(path string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	for dir := filepath.Dir(real); !w.seen[dir]; dir = filepath.Dir(dir) {
		w.seen[dir] = true
		info, err := os.Stat(dir)
		if err != nil {
			return
		}
		weak := weaknesses(dir, info)
		if info.Mode()&fs.ModeSticky != 0 { // as in /tmp: users cannot replace files of others
			weak = slices.DeleteFunc(weak, func(f weakness) bool { return !f.foreign })
		}
		w.found = append(w.found, writable(dir, weak)...)
	}
}

// manyWeaknesses is how many weaknesses in one directory are reported as one finding.
const manyWeaknesses = 4

func writable(root string, weak []weakness) (found []finding) {
	for _, foreign := range []bool{false, true} {
		some := slices.DeleteFunc(slices.Clone(weak), func(f weakness) bool { return f.foreign != foreign })
		if len(some) < manyWeaknesses {
			for _, f := range some {
				found = append(found, writableFile(f))
			}
			continue
		}
		command := "chmod -R go-w "
		if foreign {
			command = `check them, then run: sudo chown -R "$(id -un)" `
		}
		found = append(found, failure(
			fmt.Sprintf("others may change %d files and directories in %s, such as %s, and so run programs as you",
				len(some), term.Name(root), term.Name(some[0].path)), command+term.ShellWord(root)))
	}
	return found
}

func writableFile(f weakness) finding {
	name, path := term.Name(f.path), term.ShellWord(f.path)
	if f.foreign {
		return failure(fmt.Sprintf("%s belongs to another user (%d), who may change it and so run programs as you", name,
			f.owner), `check it, then run: sudo chown "$(id -un)" `+path)
	}
	return failure(fmt.Sprintf("others may change %s, and so run programs as you", name), "chmod go-w "+path)
}

// weakness is a file that other users may change, because of its mode or its owner.
type weakness struct {
	path    string
	foreign bool
	owner   uint32 // if it is foreign
}

func weaknesses(path string, info fs.FileInfo) (found []weakness) {
	if permitsOthers(info, 0o022) && !isClosedAbove(path) {
		found = append(found, weakness{path: path})
	}
	if uid, _, known := owner(info); known && uid != 0 && int(uid) != os.Geteuid() {
		found = append(found, weakness{path: path, foreign: true, owner: uid})
	}
	return found
}

// permitsOthers reports whether a file's mode gives one of these permissions to others:
// everybody, or a group other than the private group of the user.
func permitsOthers(info fs.FileInfo, bits fs.FileMode) bool {
	_, gid, known := owner(info)
	isPrivateGroup := known && int(gid) == os.Geteuid()
	return known && (info.Mode()&bits&0o007 != 0 || info.Mode()&bits&0o070 != 0 && !isPrivateGroup)
}

// isClosedAbove reports whether a directory above a path is closed to others, so that
// they cannot reach the path even if its own mode permits it.
func isClosedAbove(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	for real != filepath.Dir(real) {
		real = filepath.Dir(real)
		if info, err := os.Stat(real); err == nil && !permitsOthers(info, 0o011) {
			return true
		}
	}
	return false
}

func otherWriters(_ context.Context, e *examination) []finding {
	return writableByOthers(e.home, e.plugins())
}
