package kodelet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/chibi-host/chibi/plugin"
)

// executable is a file that may be a hook.
type executable struct {
	base  string   // the name of its file
	key   string   // base, prefixed by the Kodelet plugin that it belongs to
	name  string   // the plugin's name
	path  string   // the full path
	env   []string // additional variables
	check func() error
}

// checked returns the check of a file in a directory that needs approval. Once it has
// failed, the file is not run again in this run, so that changing it back and forth
// neither runs it nor disables the person's own hook of the same name.
func checked(dir Dir, path string) func() error {
	if dir.Look == nil {
		return nil
	}
	var mu sync.Mutex
	var failed error
	return func() error {
		mu.Lock()
		defer mu.Unlock()
		if failed == nil {
			failed = dir.Look()(path)
		}
		return failed
	}
}

func (f executable) origin() plugin.Origin { return plugin.Origin{Protocol: Protocol, Path: f.path} }

// discover lists the executables of a directory in bytewise order of their names, and
// the other entries with the reason why each one is skipped. A directory that cannot be
// read does not affect the others.
func discover(dir Dir, overrides map[string]plugin.Override) (found []executable, skipped []plugin.SkippedPlugin) {
	entries, why := dir.entries()
	if why != "" {
		origin := plugin.Origin{Protocol: Protocol, Path: dir.Path}
		return nil, []plugin.SkippedPlugin{{Name: dir.Prefix + dir.Plugin + filepath.Base(dir.Path), Origin: origin,
			Reason: why, Reportable: true}}
	}
	untrusted := func(string) error { return nil }
	if dir.Look != nil && len(entries) > 0 {
		untrusted = dir.Look()
	}
	for _, entry := range entries {
		file := dir.file(entry.Name())
		left := plugin.SkippedPlugin{Name: file.name, Origin: file.origin()}
		if left.Reason, left.Reportable = unusable(file, overrides); left.Reason == "" {
			if err := untrusted(file.path); err != nil {
				left.Reason, left.Reportable, left.Untrusted = err.Error(), true, errors.Is(err, ErrUntrusted)
			}
		}
		if left.Reason != "" {
			skipped = append(skipped, left)
			continue
		}
		found = append(found, file)
	}
	return found, skipped
}

// entries lists the entries of a directory, or returns why it is skipped.
func (f Dir) entries() (entries []os.DirEntry, skipped string) {
	if f.Skipped != "" {
		return nil, f.Skipped
	}
	entries, err := os.ReadDir(f.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Sprintf("the directory cannot be read: %v", err)
	}
	return entries, ""
}

// file describes a file of the directory.
func (f Dir) file(base string) executable {
	path := filepath.Join(f.Path, base)
	return executable{base: base, key: f.Plugin + base, name: f.Prefix + f.Plugin + base, path: path, env: f.Env,
		check: checked(f, path)}
}

// unusable returns why a file cannot be a hook, "" if it can.
func unusable(file executable, overrides map[string]plugin.Override) (reason string, reportable bool) {
	info, err := os.Stat(file.path)
	switch {
	case strings.HasSuffix(file.base, ".disable"):
		return "disabled by its name; to enable it, remove .disable", false
	case overrides[file.name].Disabled:
		return fmt.Sprintf("disabled by enabled = false in [plugins.%q] of the configuration", file.name), false
	case err != nil:
		return "it is a link whose target does not exist or that leads to itself", true
	case info.IsDir():
		return "a directory, not a program", false
	case !info.Mode().IsRegular():
		return "not a regular file", false
	case info.Mode().Perm()&0o111 == 0:
		return "not executable; to use it, run: chmod +x " + file.path, false
	}
	return "", false
}
