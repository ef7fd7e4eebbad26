package trust

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/term"
)

// A directory of hooks that keeps changing, for example because somebody swaps files to run
// another one than the one that was examined, is not run. A directory that has just changed
// is examined after a short time without changes.
const (
	rest     = 100 * time.Millisecond
	patience = 3
)

// clock is the clock of settled.
type clock struct {
	now   func() time.Time
	sleep func(time.Duration)
}

// settled reads a directory once nothing in it except data has changed for a while.
func (a Approval) settled(dir string, c clock) ([]Seen, error) {
	for range patience {
		t := tree{project: a.Project}
		if err := t.read(dir); err != nil {
			return nil, err
		}
		last := t.changed
		for _, s := range a.Pinned(dir, t.files) {
			if s.info != nil && disk.ChangedAt(s.info).After(last) {
				last = disk.ChangedAt(s.info)
			}
		}
		if age := c.now().Sub(last); age < 0 || age >= rest {
			return t.files, nil
		}
		c.sleep(rest)
	}
	return nil, fmt.Errorf("%s changes all the time; see who changes it", dir)
}

// Look compares a directory of the project, as it is now, with the approval, and
// returns a function that says why a file in it, given by its full path, must not be run;
// nil: everything is as approved. The reason is an [ErrUntrusted], unless the file
// cannot be approved at all.
func (a Approval) Look(dir string) func(path string) error {
	if !a.covers(dir) {
		return func(string) error { return ErrUntrusted }
	}
	files, err := a.settled(dir, clock{time.Now, time.Sleep})
	if err != nil {
		return func(string) error { return fmt.Errorf("hooks that came with this directory are not run: %w", err) }
	}
	found := a.difference(dir, files)
	return func(path string) error {
		rel, err := filepath.Rel(a.Project, path)
		if err != nil {
			return fmt.Errorf("%w: %v", ErrUntrusted, err)
		}
		i := slices.IndexFunc(files, func(f Seen) bool { return f.Path == rel })
		_, approved := a.find(rel)
		switch {
		case i < 0:
			return fmt.Errorf("%w: it was removed", ErrUntrusted)
		case !approved:
			return ErrUntrusted
		case a.Format != Format:
			return a.old()
		case found != nil:
			return found.reason(dir, rel)
		}
		if err := files[i].Refused(a.Project, dir); err != nil {
			return err
		}
		return a.same(dir, append(a.Pinned(dir, files), files[i])) // the one to run last
	}
}

// covers reports whether any file of a directory was approved.
func (a Approval) covers(dir string) bool {
	return slices.ContainsFunc(a.Files, func(f File) bool {
		return strings.HasPrefix(f.Path, dir+string(filepath.Separator))
	})
}

// same checks that the names in a directory still refer to the files that were read.
func (a Approval) same(dir string, files []Seen) error {
	for _, s := range files {
		now, err := os.Stat(filepath.Join(a.Project, s.Path))
		if s.info == nil && err != nil {
			continue // a dangling link
		}
		if err != nil || s.info == nil || !os.SameFile(now, s.info) || now.Size() != s.info.Size() ||
			!now.ModTime().Equal(s.info.ModTime()) {
			name, _ := filepath.Rel(dir, s.Path)
			return fmt.Errorf("%w: %s was replaced while it was being examined", ErrUntrusted, term.Name(name))
		}
	}
	return nil
}

// difference is a difference between a directory and its approval.
type difference struct{ path, what string }

// reason returns the difference as the reason for a hook.
func (d *difference) reason(dir, hook string) error {
	if d.path == hook {
		return fmt.Errorf("%w: its %s", ErrUntrusted, d.what)
	}
	name, _ := filepath.Rel(dir, d.path)
	return fmt.Errorf("%w: beside it, %s: %s", ErrUntrusted, term.Name(name), d.what)
}

// difference returns the first file of a directory that differs from its approval.
func (a Approval) difference(dir string, files []Seen) *difference {
	for _, now := range files {
		approved, ok := a.find(now.Path)
		switch what := differs(approved, now.File); {
		case ok && what != "":
			return &difference{now.Path, what}
		case !ok && !a.isData(dir, now):
			return &difference{now.Path, "it is new"}
		}
	}
	for _, f := range a.Files {
		isThere := slices.ContainsFunc(files, func(now Seen) bool { return now.Path == f.Path })
		if strings.HasPrefix(f.Path, dir+string(filepath.Separator)) && !isThere {
			return &difference{f.Path, "it was removed"}
		}
	}
	return nil
}

// Pinned returns the files of a directory that an approval pins, that is, without data.
func (a Approval) Pinned(dir string, files []Seen) []Seen {
	return slices.DeleteFunc(slices.Clone(files), func(s Seen) bool { return a.isData(dir, s) })
}

// isData reports whether a file beside hooks may change: it matches one of the patterns, and
// nothing would load it as code.
func (a Approval) isData(dir string, s Seen) bool {
	name, err := filepath.Rel(dir, s.Path)
	if err != nil || s.Link != "" || s.info == nil || s.info.Mode()&0o111 != 0 || !isDataName(name) {
		return false
	}
	return slices.ContainsFunc(a.Data, func(pattern string) bool {
		if !strings.Contains(pattern, "/") {
			name = filepath.Base(name)
		}
		ok, err := filepath.Match(pattern, name)
		return ok && err == nil
	})
}

// CheckData returns an error if a pattern is not valid: it must end with an extension that
// nothing loads as code.
func CheckData(pattern string) error {
	if _, err := filepath.Match(pattern, "x"); err != nil || pattern == "" || filepath.IsAbs(pattern) {
		return errors.New("it is not a pattern; write it as *.log or state/*.json")
	}
	if !isDataName(pattern) || strings.ContainsAny(filepath.Ext(pattern), "*?[]\\") {
		return fmt.Errorf("such a file could be loaded as code; patterns end with one of %s",
			strings.Join(dataExtensions(), " "))
	}
	return nil
}

// dataExtensions lists extensions of files that interpreters never load as code.
func dataExtensions() []string {
	return []string{
		".log", ".txt", ".out", ".err", ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".db", ".sqlite", ".sqlite3",
		".db-wal", ".db-shm", ".db-journal", ".sqlite-wal", ".sqlite-shm", ".sqlite-journal", ".sqlite3-wal", ".sqlite3-shm",
		".sqlite3-journal", ".pid", ".lock", ".dat",
	}
}

// isDataName reports whether nothing would load a file of this name as code. Some names are
// configuration that makes interpreters load other files.
func isDataName(name string) bool {
	base := strings.ToLower(filepath.Base(name))
	if strings.HasPrefix(base, ".") {
		return false
	}
	switch base {
	case "package.json", "package-lock.json", "deno.json", "tsconfig.json", "jsconfig.json",
		"composer.json", "requirements.txt":
		return false
	}
	inPackages := strings.Contains(name, "__pycache__") || strings.Contains(name, "node_modules")
	return !inPackages && slices.Contains(dataExtensions(), filepath.Ext(base))
}
