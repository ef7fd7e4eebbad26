package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin/kodelet"
)

// writers finds out who else may change what chibi runs: programs, and files
// that say what is run.
type writers struct {
	*doctor
	seen map[string]bool // paths that were looked at
	left int             // how many more are looked at
}

// maxLooked bounds how many files are looked at.
const maxLooked = 10_000

// writers looks at everything that can make chibi run something.
func (d *doctor) writers() {
	w := &writers{doctor: d, seen: map[string]bool{}, left: maxLooked}
	w.above(d.home)
	w.tree(d.home, false)
	for _, name := range []string{"config.toml", "models.toml", "trust.json", "installed.json"} {
		w.tree(filepath.Join(d.home, name), false)
	}
	layout := contexts.Layout{Home: d.home}
	w.tree(layout.Contexts(), false)
	for _, path := range layout.LocalConfigs() {
		w.tree(filepath.Dir(path), false)
		w.tree(path, false)
	}
	w.tree(filepath.Join(d.home, "plugins"), true)
	w.tree(filepath.Join(d.home, app.RecipesDir), true)
	if user := app.UserHome(); user != "" {
		w.tree(filepath.Join(user, ".kodelet"), false)
		w.tree(filepath.Join(user, ".kodelet", "plugins"), false)
		for _, folder := range append(kodelet.HookDirs(user), kodelet.PluginDirs(user, "recipes")...) {
			w.tree(filepath.Dir(folder.Path), false)
			w.tree(folder.Path, true)
		}
		w.tree(filepath.Join(user, app.KodeletRecipesDir), true)
	}
	for _, p := range d.plugins {
		if filepath.IsAbs(p.Origin.Path) {
			w.target(p.Origin.Path)
		}
	}
}

// target looks at a path that may be a link, at what it leads to and at the
// folders above that.
func (w *writers) target(path string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return // a link that leads nowhere
	}
	w.tree(real, true)
	w.above(real)
}

// tree looks at a path, and at all that is in it if deep is set.
func (w *writers) tree(root string, deep bool) {
	var found []weakness
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
			found = append(found, weaknesses(path, info)...)
		}
		if !deep && entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	w.report(root, found)
}

// above looks at the folders above a path: who may change one of them may put
// something else in the place of what is in it.
func (w *writers) above(path string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	for folder := filepath.Dir(real); !w.seen[folder]; folder = filepath.Dir(folder) {
		w.seen[folder] = true
		info, err := os.Stat(folder)
		if err != nil {
			return
		}
		isShared := info.Mode()&fs.ModeSticky != 0 // as in /tmp: nobody may replace what is another's
		w.report(folder, slices.DeleteFunc(weaknesses(folder, info), func(f weakness) bool { return isShared && !f.foreign }))
	}
}

// weakness is a file that others may change: as its mode lets them, or as it is
// theirs.
type weakness struct {
	path    string
	foreign bool
	owner   uint32
}

// weaknesses says who else may change a file.
func weaknesses(path string, info fs.FileInfo) (found []weakness) {
	if openTo(info, 0o022) && !closedAbove(path) {
		found = append(found, weakness{path: path})
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid() {
		found = append(found, weakness{path: path, foreign: true, owner: stat.Uid})
	}
	return found
}

// manyWeaknesses is how many in one folder are told as one.
const manyWeaknesses = 4

// report tells of what was found at a path, each with the command that corrects it.
func (w *writers) report(root string, found []weakness) {
	for _, foreign := range []bool{false, true} {
		some := slices.DeleteFunc(slices.Clone(found), func(f weakness) bool { return f.foreign != foreign })
		command := "chmod -R go-w "
		if foreign {
			command = `look at them, then: sudo chown -R "$(id -un)" `
		}
		if len(some) >= manyWeaknesses {
			text := "others may change %d files and folders in %s, such as %s, and with them what runs as you"
			w.add("error", fmt.Sprintf(text, len(some), term.Name(root), term.Name(some[0].path)), command+term.ShellWord(root))
			continue
		}
		for _, f := range some {
			name, path := term.Name(f.path), term.ShellWord(f.path)
			if foreign {
				text := "%s belongs to another user (%d), who may change it and with it what runs as you"
				w.add("error", fmt.Sprintf(text, name, f.owner), `look at it, then: sudo chown "$(id -un)" `+path)
			} else {
				w.add("error", fmt.Sprintf("others may change %s, and with it what runs as you", name), "chmod go-w "+path)
			}
		}
	}
}

// openTo reports whether a file's mode gives one of these permissions to others:
// everybody, or a group that is not the one that systems make for each user.
func openTo(info fs.FileInfo, bits fs.FileMode) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	isPrivateGroup := ok && int(stat.Gid) == os.Geteuid()
	return info.Mode()&bits&0o007 != 0 || info.Mode()&bits&0o070 != 0 && !isPrivateGroup
}

// closedAbove reports whether a directory above a path is closed to others, so that
// they do not come to it whatever its own mode says.
func closedAbove(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	for real != filepath.Dir(real) {
		real = filepath.Dir(real)
		if info, err := os.Stat(real); err == nil && !openTo(info, 0o011) {
			return true
		}
	}
	return false
}
