package baseline

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/gitconfig"
)

// PutBack undoes one change: it removes new files, and restores removed and changed ones, but for
// the times of files. Of a file with git's settings only those are changed that the change names.
func (b *Baseline) PutBack(c Change) error {
	err := b.putBack(c)
	if errors.Is(err, fs.ErrPermission) && b.loosen(c) == nil { // the next look finds other permissions than before
		err = b.putBack(c)
	}
	if err == nil && c.before == nil {
		b.prune(c)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Path, err)
	}
	return nil
}

func (b *Baseline) putBack(c Change) error {
	dir, name, err := b.parent(c)
	if err != nil {
		return err
	}
	defer dir.Close()
	return putBack(dir, name, c)
}

// loosen gives the person the right to change what is in the directories above a change.
func (b *Baseline) loosen(c Change) error {
	dir, err := disk.OpenDir(b.watch.places[c.place].path)
	for part := range strings.SplitSeq(filepath.Dir(c.rel), string(filepath.Separator)) {
		if err != nil || part == "." {
			break
		}
		var next *disk.Dir
		if err = disk.ModeIn(dir, part, 0o700); err == nil {
			next, err = dir.Sub(part)
		}
		dir.Close()
		dir = next
	}
	dir.Close()
	return err
}

// parent opens the directory of a change, and makes those that were removed.
func (b *Baseline) parent(c Change) (dir *disk.Dir, name string, err error) {
	if dir, err = disk.OpenDir(b.watch.places[c.place].path); err != nil {
		return nil, "", err
	}
	parts := strings.Split(c.rel, string(filepath.Separator))
	was := b.dirs[c.place]
	for _, part := range parts[:len(parts)-1] {
		was = was.child(part)
		next, err := enter(dir, part, was)
		dir.Close()
		if err != nil {
			return nil, "", err
		}
		dir = next
	}
	return dir, parts[len(parts)-1], nil
}

// enter opens a directory, and makes it if it was there and is not.
func enter(dir *disk.Dir, name string, was *node) (*disk.Dir, error) {
	next, err := dir.Sub(name)
	if !errors.Is(err, fs.ErrNotExist) || was == nil {
		return next, err
	}
	if next, err = dir.Make(name); err == nil {
		err = disk.ModeIn(dir, name, was.info.Mode().Perm())
	}
	return next, err
}

// putBack undoes a change in its directory.
func putBack(dir *disk.Dir, name string, c Change) error {
	switch {
	case c.Settings != nil && c.now != nil:
		return putBackSettings(dir, name, c)
	case c.before == nil:
		return disk.RemoveIn(dir, name)
	case c.before.info.IsDir() && c.now.isDirectory():
		return disk.ModeIn(dir, name, c.before.info.Mode().Perm())
	case c.now != nil && (c.now.info.IsDir() || c.before.kind() != 0):
		if err := disk.RemoveIn(dir, name); err != nil {
			return err
		}
	}
	return put(dir, name, c.before)
}

// putBackSettings changes settings of git back that make git run something.
func putBackSettings(dir *disk.Dir, name string, c Change) error {
	data, like := gitconfig.Restore(c.before.text(), c.now.text()), c.now.info
	if now, err := dir.Stat(name); err != nil || !disk.IsUntouched(like, now) {
		return errors.Join(err, disk.ErrReplaced) // the next look finds what it is now
	}
	switch {
	case c.before != nil:
		like = c.before.info
	case len(data) == 0:
		return disk.RemoveIn(dir, name)
	}
	return disk.PutIn(dir, name, data, like)
}

// put puts what was there to a name that is free, or a file's.
func put(dir *disk.Dir, name string, was *node) error {
	switch {
	case was.kind() == fs.ModeSymlink:
		return disk.PutLinkIn(dir, name, was.target)
	case was.kind() == 0:
		return disk.PutIn(dir, name, was.data, was.info)
	case !was.info.IsDir():
		return errors.New("what was there was neither a file, a directory nor a link")
	}
	sub, err := enter(dir, name, was)
	if err != nil {
		return err
	}
	defer sub.Close()
	for name, child := range was.children {
		err = errors.Join(err, put(sub, name, child))
	}
	return err
}

// prune removes the directories above something new that are empty and were not there either.
func (b *Baseline) prune(c Change) {
	for rel := filepath.Dir(c.rel); rel != "."; rel = filepath.Dir(rel) {
		if b.has(c.place, rel) {
			return
		}
		dir, name, err := b.parent(Change{place: c.place, rel: rel})
		if err != nil {
			return
		}
		pruned := disk.PruneIn(dir, name)
		dir.Close()
		if !pruned {
			return
		}
	}
}

// has reports whether a path was there.
func (b *Baseline) has(place int, rel string) bool {
	n := b.dirs[place]
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		n = n.child(part)
	}
	return n != nil
}
