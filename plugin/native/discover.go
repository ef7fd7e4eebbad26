package native

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/plugin"
)

// DisabledSuffix ends the name of a file or directory that is not used as a plugin.
const DisabledSuffix = ".disabled"

// executable is a file in the plugins directory that can be asked for its schema.
type executable struct {
	name   string      // the plugin's name: the name of its file or directory
	path   string      // as found, for messages
	real   string      // with links resolved; this file is executed
	info   fs.FileInfo // of that file
	folder string      // the directory that is the plugin; "": it is a single file
	guard  bool        // it said that its failure blocks, when it was asked last
}

// finder finds executables.
type finder struct {
	opts Options
	real string // of the plugins directory
}

func newFinder(opts Options) finder {
	real, err := filepath.EvalSymlinks(opts.Dir)
	if err != nil {
		real = opts.Dir
	}
	return finder{opts, real}
}

// discover lists the executables of the plugins directory in bytewise order of
// their names, and the other entries with the reason why each one is skipped.
func discover(opts Options) ([]executable, []plugin.SkippedPlugin, error) {
	names, err := entryNames(opts)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the plugins directory: %w; use --no-plugins to run without plugins", err)
	}
	f := newFinder(opts)
	var found []executable
	var skipped []plugin.SkippedPlugin
	for _, name := range names {
		isOther := opts.Only != nil && !slices.Contains(opts.Only, name)
		if isOther || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".chibi-test.toml") {
			continue
		}
		file, skip := f.examine(name)
		if skip != nil {
			skip.Name, skip.Origin = name, origin(opts.path(name))
			skipped = append(skipped, *skip)
			continue
		}
		found = append(found, file)
	}
	return found, skipped, nil
}

// entryNames lists the entries of the plugins directory and the names of placed files.
func entryNames(opts Options) (names []string, err error) {
	entries, err := os.ReadDir(opts.Dir)
	if err != nil && !isAbsent(opts.Dir, err) {
		return nil, err
	}
	names = slices.Collect(maps.Keys(opts.Placed))
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// isAbsent reports whether a directory that cannot be read does not exist. A link to one that
// does not exist is not the same: somebody has put it there.
func isAbsent(dir string, err error) bool {
	_, there := os.Lstat(dir)
	return errors.Is(err, fs.ErrNotExist) && there != nil
}

// path is where the entry of a name is.
func (o Options) path(name string) string {
	if path, placed := o.Placed[name]; placed {
		return path
	}
	return filepath.Join(o.Dir, name)
}

// Find returns the executable of one entry of the plugins directory, without running
// it, or the reason why the entry is skipped.
func Find(opts Options, name string) (path string, skipped *plugin.SkippedPlugin) {
	file, skipped := newFinder(opts).examine(name)
	return file.real, skipped
}

// examine returns the executable of one entry, or the reason why it is skipped.
func (f finder) examine(name string) (executable, *plugin.SkippedPlugin) {
	_, placed := f.opts.Placed[name]
	switch {
	case strings.HasSuffix(name, DisabledSuffix):
		return executable{}, &plugin.SkippedPlugin{Reason: "disabled by its name; to enable it, remove " + DisabledSuffix,
			Disabled: true}
	case f.opts.Overrides[name].Disabled && !placed:
		return executable{}, disabled(name)
	}
	file, skipped := f.locate(name)
	if skipped != nil {
		return executable{}, skipped
	}
	if file.info.Mode().Perm()&0o111 == 0 {
		return executable{}, &plugin.SkippedPlugin{Reason: "not executable; to use it, run: chmod +x " +
			file.path, Reportable: isScript(file.real)}
	}
	return file, nil
}

// locate returns the file of an entry, or the reason why the entry is skipped. A file in the
// plugins directory itself, which most plugins are, needs one call of the system.
func (f finder) locate(name string) (executable, *plugin.SkippedPlugin) {
	file := executable{name: name, path: f.opts.path(name)}
	elsewhere := filepath.Dir(file.path) != filepath.Clean(f.opts.Dir)
	if info, err := os.Lstat(file.path); err == nil && info.Mode().IsRegular() && !elsewhere {
		file.real, file.info = filepath.Join(f.real, filepath.Base(file.path)), info
		return file, nil
	}
	if skipped := file.resolve(); skipped != nil {
		return file, skipped
	}
	if !elsewhere && !f.allows(file.real) {
		return file, &plugin.SkippedPlugin{Reportable: true, Reason: fmt.Sprintf(
			"it is a link to %s, outside the plugins directory; to allow that, add the target to allow_links under "+
				"[plugins] in config.toml", file.real)}
	}
	return file, nil
}

// resolve follows links and finds the file of a directory.
func (file *executable) resolve() (skipped *plugin.SkippedPlugin) {
	var err error
	if file.real, err = filepath.EvalSymlinks(file.path); err != nil {
		return &plugin.SkippedPlugin{Reason: "it is a link whose target does not exist or that leads to itself",
			Reportable: true}
	}
	file.info, err = os.Stat(file.real)
	if err == nil && file.info.IsDir() {
		file.folder = file.real
		file.path = filepath.Join(file.path, file.name)
		if file.real, err = filepath.EvalSymlinks(file.path); err != nil {
			return &plugin.SkippedPlugin{Reason: fmt.Sprintf("a directory without an executable %s/%s in it",
				file.name, file.name)}
		}
		file.info, err = os.Stat(file.real)
	}
	if err != nil || !file.info.Mode().IsRegular() {
		return &plugin.SkippedPlugin{Reason: "not a regular file"}
	}
	return nil
}

// allows reports whether a resolved path lies in the plugins directory or in what the
// configuration allows.
func (f finder) allows(real string) bool {
	for _, root := range append([]string{f.real}, f.opts.AllowLinks...) {
		root, err := filepath.EvalSymlinks(root)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// isScript reports whether a file begins with "#!", so that its owner expects it to
// run.
func isScript(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 2)
	n, _ := f.Read(head)
	return string(head[:n]) == "#!"
}
