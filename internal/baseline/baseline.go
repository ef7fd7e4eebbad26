// Package baseline remembers the files that other programs run or take their settings from, as they
// were before a command ran that may write beside them: git's hooks and settings, and what agents
// read in a project. It finds what the command changed, and puts that back.
//
// It promises that nothing is read or written through a link, that it does not block on special
// files, that it puts back only the git settings that make git run something, and that it names
// everything beyond its bounds.
package baseline

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
)

// The bounds of what is remembered of each of the names that are watched in a directory: files and
// directories, their bytes, and how deep they are.
const (
	MaxFiles = 1000
	MaxBytes = 16 << 20
	maxDepth = 24
)

// rest is how long a file must not have changed for a later change to be seen by its times.
const rest = 100 * time.Millisecond

// Baseline is what was there at one time.
type Baseline struct {
	watch Watch
	dirs  []*node // of watch.Dirs; nil: cannot be opened
	// Skipped names what is not remembered, and why.
	Skipped []string
}

// node is what a name stood for.
type node struct {
	info     fs.FileInfo
	data     []byte           // of a file
	target   string           // of a link
	children map[string]*node // of a directory
	rule     *rule
	// settled says that the data is as the times of the file say. part says that not all of it is
	// known, isAny that its rule is for any name.
	settled, part, isAny bool
}

// kind returns the kind of what was there.
func (n *node) kind() fs.FileMode { return n.info.Mode().Type() }

// Take remembers the present files. It does not read a file again that is as in an earlier
// baseline; nil: there is none.
func (w Watch) Take(earlier *Baseline) *Baseline {
	b := &Baseline{watch: w}
	t := taking{baseline: b}
	for i, place := range w.places {
		var known *node
		if earlier != nil && i < len(earlier.dirs) && earlier.watch.places[i].path == place.path {
			known = earlier.dirs[i]
		}
		b.dirs = append(b.dirs, t.place(place, known))
	}
	return b
}

// taking is a walk.
type taking struct {
	baseline     *Baseline
	files, bytes int // that may still be read, besides what was known
}

func (t *taking) place(p place, known *node) *node {
	dir, err := disk.OpenDir(p.path)
	if err != nil {
		return &node{rule: p.rule} // there is nothing; commands cannot make it
	}
	defer dir.Close()
	n := &node{rule: p.rule}
	t.directory(dir, n, known, 0)
	return n
}

// skip notes that a path is not remembered.
func (t *taking) skip(n *node, path, why string) {
	n.part = true
	t.baseline.Skipped = append(t.baseline.Skipped, fmt.Sprintf("%s (%s)", path, why))
}

// directory reads what is looked at in an opened directory.
func (t *taking) directory(dir *disk.Dir, n, known *node, depth int) {
	if depth == maxDepth {
		t.skip(n, dir.Path(), fmt.Sprintf("it is deeper than %d directories", maxDepth))
		return
	}
	n.children = map[string]*node{}
	for _, name := range t.names(dir, n, known) {
		path, inner := filepath.Join(dir.Path(), name), n.rule.of(name)
		if inner == nil || t.baseline.watch.isAllowed(path) {
			continue
		}
		info, err := dir.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.skip(n, path, err.Error())
			continue
		}
		if depth == 0 {
			t.files, t.bytes = MaxFiles, MaxBytes
		}
		before := known.child(name)
		if before == nil && t.files == 0 {
			t.skip(n, dir.Path(), fmt.Sprintf("more than %d files", MaxFiles))
			continue
		}
		if before == nil {
			t.files--
		}
		child := &node{info: info, rule: inner, isAny: n.rule.names[name] == nil && !n.rule.isRepository}
		n.children[name] = child
		if info.IsDir() {
			t.inside(dir, child, before, depth)
		} else {
			t.content(dir, child, before)
		}
	}
}

// child returns what was known of a name in a directory.
func (n *node) child(name string) *node {
	if n == nil {
		return nil
	}
	return n.children[name]
}

// names lists the names that are looked at in a directory: the names of its rule, the known names,
// and all others if its rule is for them.
func (t *taking) names(dir *disk.Dir, n, known *node) (names []string) {
	for name := range n.rule.names {
		names = append(names, name)
	}
	if known != nil {
		for name := range known.children {
			names = append(names, name)
		}
	}
	if n.rule.each != nil && (!n.rule.isRepository || !isRepository(dir)) {
		all, isAll, err := disk.NamesIn(dir, 2*MaxFiles, func(name string) bool { return n.rule.of(name) != nil })
		names = append(names, all...)
		switch {
		case err != nil:
			t.skip(n, dir.Path(), err.Error())
		case !isAll:
			t.skip(n, dir.Path(), fmt.Sprintf("more than %d files", MaxFiles))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func isRepository(dir *disk.Dir) bool {
	_, err := dir.Stat("HEAD")
	return err == nil
}

// inside reads a directory that is in another one.
func (t *taking) inside(dir *disk.Dir, n, known *node, depth int) {
	sub, err := dir.Sub(n.info.Name())
	if err != nil {
		t.skip(n, filepath.Join(dir.Path(), n.info.Name()), err.Error())
		return
	}
	defer sub.Close()
	t.directory(sub, n, known, depth+1)
}

// content reads what a link or a file says.
func (t *taking) content(dir *disk.Dir, n, known *node) {
	var err error
	switch n.kind() {
	case 0:
		err = t.file(dir, n, known)
	case fs.ModeSymlink:
		n.target, err = dir.Link(n.info.Name())
	}
	if err != nil {
		t.skip(n, filepath.Join(dir.Path(), n.info.Name()), err.Error())
	}
}

// file reads a file, unless it is as it was known.
func (t *taking) file(dir *disk.Dir, n, known *node) error {
	if known != nil && known.settled && known.kind() == 0 && disk.IsUntouched(known.info, n.info) {
		n.data, n.settled = known.data, true
		return nil
	}
	f, err := dir.OpenRegular(n.info.Name())
	if err != nil {
		return err
	}
	defer f.Close()
	if n.info, err = f.Stat(); err != nil {
		return err
	}
	var free int // the earlier ones no longer count
	if known != nil {
		free = len(known.data)
	}
	var data bytes.Buffer
	begun, most := time.Now(), free+t.bytes
	switch _, err := data.ReadFrom(io.LimitReader(f, int64(most)+1)); {
	case err != nil:
		return err
	case data.Len() > most:
		return fmt.Errorf("more than %d MiB in all", MaxBytes>>20)
	}
	t.bytes -= max(0, data.Len()-free)
	n.data, n.settled = data.Bytes(), begun.Sub(disk.ChangedAt(n.info)) > rest
	return nil
}
