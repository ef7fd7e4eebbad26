// Package foreign finds the settings files in which coding agents list their hooks, and the
// files of a project that a hook's command names.
//
// It promises that what it reads is bounded, and that it is a definition only: whether a
// hook may run is not its concern. It starts nothing.
package foreign

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/internal/disk"
)

// maxNames is how many files of a directory of settings files are read.
const maxNames = 100

// Candidate is where a settings file of an agent may be.
type Candidate struct {
	engine.Place
	// Path is its full path.
	Path string
	// Root is the directory that it is for: the project's, the person's home, or the directory of the
	// agent's plugin.
	Root string
	// IsPlugin says that it belongs to a plugin of the agent.
	IsPlugin bool
}

// File is a settings file as it was read.
type File struct {
	Candidate
	settings.Settings
	// Text is its content, Mode its mode.
	Text []byte
	Mode fs.FileMode
}

// Looker finds settings files. Home is the person's home directory, "" if there is none; Getenv
// looks up variables of the environment that move files.
type Looker struct {
	Home   string
	Getenv func(string) string
}

// Own lists where the person's own settings files of an agent may be, and the organisation's.
func (l Looker) Own(d engine.Dialect) (list []Candidate) {
	for _, place := range d.Places {
		switch {
		case place.Scope == engine.ScopeSystem:
			list = append(list, expand(Candidate{place, filepath.FromSlash(place.Path), l.Home, false})...)
		case place.Scope == engine.ScopeUser:
			if path := l.Path(place); path != "" {
				list = append(list, expand(Candidate{place, path, l.Home, false})...)
			}
		}
	}
	return unique(list)
}

// Path returns the path of a file of the person, "" if it is nowhere.
func (l Looker) Path(place engine.Place) string {
	if place.Variable != "" {
		if dir := l.Getenv(place.Variable); filepath.IsAbs(dir) {
			_, rest, _ := strings.Cut(place.Path, "/")
			return filepath.Join(dir, filepath.FromSlash(rest))
		}
	}
	if l.Home == "" {
		return ""
	}
	return filepath.Join(l.Home, filepath.FromSlash(place.Path))
}

// Project lists the settings files of a project that exist: those in the first of the
// directories that has any.
func Project(d engine.Dialect, dirs []string) (list []Candidate) {
	for _, dir := range dirs {
		for _, place := range d.Places {
			if place.Scope == engine.ScopeProject || place.Scope == engine.ScopeLocal {
				list = append(list, expand(Candidate{place, filepath.Join(dir, filepath.FromSlash(place.Path)), dir, false})...)
			}
		}
		list = slices.DeleteFunc(unique(list), func(c Candidate) bool {
			_, err := os.Lstat(c.Path)
			return err != nil
		})
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// Named returns a settings file that the person names; its name tells its format, or it has the one
// that the agent's files have.
func Named(d engine.Dialect, path, home string) Candidate {
	place := engine.Place{Path: path, Format: "json", Alone: slices.ContainsFunc(d.Places, func(p engine.Place) bool {
		return p.Alone && filepath.Base(p.Path) == filepath.Base(path)
	})}
	if filepath.Ext(path) == ".toml" {
		place.Format = "toml"
	} else if slices.ContainsFunc(d.Places, func(p engine.Place) bool { return p.Format == "jsonc" }) {
		place.Format = "jsonc"
	}
	return Candidate{place, path, home, false}
}

// OfPlugin returns the settings file of a plugin of an agent, which is a directory.
func OfPlugin(d engine.Dialect, dir string) Candidate {
	c := Named(d, filepath.Join(dir, "hooks", "hooks.json"), dir)
	c.IsPlugin, c.Alone = true, false
	return c
}

// expand lists the files that a path with a * in its last element means.
func expand(c Candidate) []Candidate {
	dir, pattern := filepath.Split(c.Path)
	if !strings.Contains(pattern, "*") {
		return []Candidate{c}
	}
	entries, _ := os.ReadDir(dir) // sorted; a missing directory has none
	var list []Candidate
	for _, e := range entries[:min(len(entries), maxNames)] {
		if ok, _ := filepath.Match(pattern, e.Name()); ok && !e.IsDir() {
			c.Path = filepath.Join(dir, e.Name())
			list = append(list, c)
		}
	}
	return list
}

// unique removes candidates with the path of an earlier one.
func unique(list []Candidate) (left []Candidate) {
	for _, c := range list {
		if !slices.ContainsFunc(left, func(e Candidate) bool { return e.Path == c.Path }) {
			left = append(left, c)
		}
	}
	return left
}

// Read reads a settings file of an agent. A missing one is an error that is fs.ErrNotExist; what
// is wrong with the text is in its Problems.
func Read(d engine.Dialect, c Candidate) (File, error) {
	f, err := disk.OpenRegular(c.Path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return File{}, err
	}
	text, err := io.ReadAll(io.LimitReader(f, settings.MaxBytes+1))
	if err != nil {
		return File{}, fmt.Errorf("reading %s: %w", c.Path, err)
	}
	return Parse(d, c, text, info.Mode()), nil
}

// Parse reads the text of a settings file.
func Parse(d engine.Dialect, c Candidate, text []byte, mode fs.FileMode) File {
	d.Shape = c.ShapeOf(d.Shape)
	return File{Candidate: c, Settings: settings.Read(d, text, c.Format), Text: text, Mode: mode}
}

// SaysSomething reports whether the file says anything about hooks.
func (f File) SaysSomething() bool {
	return len(f.Handlers)+len(f.Problems)+len(f.DisabledNames) > 0 || f.Disabled != nil
}

// HasEffect reports whether the file has hooks, other than the hooks of chibi bridge, or turns
// hooks off.
func (f File) HasEffect() bool { return f.Count() > 0 || len(f.DisabledNames) > 0 || f.Disabled != nil }

// Count returns how many hooks the file has, without the hooks of chibi bridge.
func (f File) Count() (n int) {
	for _, h := range f.Handlers {
		if !h.IsBridge() {
			n++
		}
	}
	return n
}

// ReadAll reads the candidates that exist, and returns what is wrong with others. It leaves out
// files that the agent does not read beside another one.
func ReadAll(d engine.Dialect, list []Candidate) (files []File, problems []error) {
	for _, c := range list {
		if slices.ContainsFunc(files, func(f File) bool { return f.Alone && f.Scope == c.Scope && len(f.Entries) > 0 }) {
			continue
		}
		switch f, err := Read(d, c); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			problems = append(problems, err)
		default:
			files = append(files, f)
		}
	}
	return files, problems
}
