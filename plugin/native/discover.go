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

// executable is a file in the plugins directory that can be asked for its schema.
type executable struct {
	name string // the plugin's name: that of its file or directory
	path string // as found, for messages
	real string // with links resolved; this file is executed
}

// discover lists the executables of the plugins directory in bytewise order of
// their names, and the other entries with the reason why each one is skipped.
func discover(opts Options) ([]executable, []plugin.SkippedPlugin, error) {
	names, err := entryNames(opts)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the plugins directory: %w; use --no-plugins to run without plugins", err)
	}
	var found []executable
	var skipped []plugin.SkippedPlugin
	for _, name := range names {
		isOther := opts.Only != nil && !slices.Contains(opts.Only, name)
		if isOther || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".chibi-test.toml") {
			continue
		}
		file, skip := examine(opts, name)
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
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	names = slices.Collect(maps.Keys(opts.Placed))
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	slices.Sort(names)
	return slices.Compact(names), nil
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
	file, skipped := examine(opts, name)
	return file.real, skipped
}

// examine returns the executable of one entry, or the reason why it is skipped.
func examine(opts Options, name string) (executable, *plugin.SkippedPlugin) {
	_, placed := opts.Placed[name]
	switch {
	case strings.HasSuffix(name, ".disabled"):
		return executable{}, &plugin.SkippedPlugin{Reason: "disabled by its name; to enable it, remove .disabled",
			Disabled: true}
	case opts.Overrides[name].Disabled && !placed:
		return executable{}, &plugin.SkippedPlugin{Reason: fmt.Sprintf("disabled by enabled = false in [plugins.%q] of the "+
			"configuration", name), Disabled: true}
	}
	path := opts.path(name)
	elsewhere := filepath.Dir(path) != filepath.Clean(opts.Dir)
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return executable{}, &plugin.SkippedPlugin{Reason: "it is a link whose target does not exist or that leads to itself",
			Reportable: true}
	}
	info, err := os.Stat(real)
	if err == nil && info.IsDir() {
		path = filepath.Join(path, name)
		if real, err = filepath.EvalSymlinks(path); err != nil {
			return executable{}, &plugin.SkippedPlugin{Reason: fmt.Sprintf("a directory without an executable %s/%s in it",
				name, name)}
		}
		info, err = os.Stat(real)
	}
	if err != nil || !info.Mode().IsRegular() {
		return executable{}, &plugin.SkippedPlugin{Reason: "not a regular file"}
	}
	if !elsewhere && !inside(opts, real) {
		return executable{}, &plugin.SkippedPlugin{Reportable: true, Reason: fmt.Sprintf(
			"it is a link to %s, outside the plugins directory; to allow that, add the target to allow_links under "+
				"[plugins] in config.toml", real)}
	}
	if info.Mode().Perm()&0o111 == 0 {
		return executable{}, &plugin.SkippedPlugin{Reason: "not executable; to use it, run: chmod +x " +
			path, Reportable: isScript(real)}
	}
	return executable{name: name, path: path, real: real}, nil
}

// inside reports whether a resolved path lies in the plugins directory or in what the
// configuration allows.
func inside(opts Options, real string) bool {
	for _, root := range append([]string{opts.Dir}, opts.AllowLinks...) {
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
