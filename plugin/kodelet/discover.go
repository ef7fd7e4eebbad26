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
	base  string   // its file's name
	key   string   // the same, after the name of the plugin that it belongs to
	name  string   // the plugin's name
	path  string   // in full
	env   []string // what it gets besides
	check func() error
}

// checked makes the check of a file of a directory that needs approval. Once it has
// failed, the file is not run in this run any more: whoever changes it back and
// forth neither gets it run nor silences the person's own hook of its name.
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

// discover lists the executables of a directory by name, bytewise, and what is not
// one with the reason. A directory that cannot be read concerns no other.
func discover(dir Dir, overrides map[string]plugin.Override) (found []executable, leftOut []plugin.LeftOut) {
	entries, why := dir.entries()
	if why != "" {
		origin := plugin.Origin{Protocol: Protocol, Path: dir.Path}
		return nil, []plugin.LeftOut{{Name: dir.Prefix + dir.Plugin + filepath.Base(dir.Path), Origin: origin,
			Reason: why, Meant: true}}
	}
	untrusted := func(string) error { return nil }
	if dir.Look != nil && len(entries) > 0 {
		untrusted = dir.Look()
	}
	for _, entry := range entries {
		file := dir.file(entry.Name())
		left := plugin.LeftOut{Name: file.name, Origin: file.origin()}
		if left.Reason, left.Meant = unusable(file, overrides); left.Reason == "" {
			if err := untrusted(file.path); err != nil {
				left.Reason, left.Meant, left.Untrusted = err.Error(), true, errors.Is(err, plugin.ErrUntrusted)
			}
		}
		if left.Reason != "" {
			leftOut = append(leftOut, left)
			continue
		}
		found = append(found, file)
	}
	return found, leftOut
}

// entries lists what is in a directory, or says why it is left out.
func (f Dir) entries() (entries []os.DirEntry, leftOut string) {
	if f.LeftOut != "" {
		return nil, f.LeftOut
	}
	entries, err := os.ReadDir(f.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Sprintf("the directory cannot be read: %v", err)
	}
	return entries, ""
}

// file is a file of the directory.
func (f Dir) file(base string) executable {
	path := filepath.Join(f.Path, base)
	return executable{base: base, key: f.Plugin + base, name: f.Prefix + f.Plugin + base, path: path, env: f.Env,
		check: checked(f, path)}
}

// unusable says why a file is no hook, "" if it may be one.
func unusable(file executable, overrides map[string]plugin.Override) (reason string, meant bool) {
	info, err := os.Stat(file.path)
	switch {
	case strings.HasSuffix(file.base, ".disable"):
		return "disabled by its name; to enable it, remove .disable", false
	case overrides[file.name].Disabled:
		return fmt.Sprintf("disabled by enabled = false in [plugins.%q] of the configuration", file.name), false
	case err != nil:
		return "its link leads nowhere or in a circle", true
	case info.IsDir():
		return "a directory, not a program", false
	case !info.Mode().IsRegular():
		return "not a regular file", false
	case info.Mode().Perm()&0o111 == 0:
		return "not executable; to use it, run: chmod +x " + file.path, false
	}
	return "", false
}
