// Package disktest is an in-memory file system for crash tests. It counts operations and
// can fail at any of them as in a power failure, which may lose unsynced data, or as if the disk were full.
//
// It promises to lose everything that a file system may lose: bytes that are not
// synced, a part of a write, names whose directory is not synced; a file that
// was renamed from one directory to another may be in both. It is safe for
// concurrent use.
package disktest

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/chibi-host/chibi/internal/disk"
)

// FS is a file system in memory. Use New or NewFailing to create one.
type FS struct {
	faults
	root string
	top  *node
}

// node is a file or a directory.
type node struct {
	names   map[string]*node // entries of a directory as programs see them; nil for a file
	durable map[string]*node // entries of a directory after a crash
	data    []byte
	synced  []byte
}

var _ disk.FS = (*FS)(nil)

// New creates a file system with one empty directory, whose power fails at operation
// number cut, from 0; negative: never.
func New(root string, cut int) *FS {
	return &FS{root: root, top: dir(), faults: faults{left: cut}}
}

// NewFailing creates a file system in which nothing can be written or created from
// operation number cut on, as with ENOSPC or EROFS, until Free is called.
func NewFailing(root string, cut int, err error) *FS {
	return &FS{root: root, top: dir(), faults: faults{left: cut, full: err}}
}

func dir() *node { return &node{names: map[string]*node{}, durable: map[string]*node{}} }

// Unsynced says how much of the data that was not synced has reached the disk
// when the power fails.
type Unsynced string

// The values of Unsynced.
const (
	Lost Unsynced = "lost" // nothing
	Torn Unsynced = "torn" // the first half
	// Holes: the second half, behind zeros. A file system may write the later block of a
	// file first.
	Holes Unsynced = "zeros and the second half"
)

// AfterCrash returns the file system after the power failure.
func (f *FS) AfterCrash(unsynced Unsynced) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &FS{root: f.root, top: f.top.afterCrash(unsynced, map[*node]*node{}), faults: faults{left: -1}}
}

// afterCrash copies what is durable; a file with two names keeps both.
func (n *node) afterCrash(unsynced Unsynced, done map[*node]*node) *node {
	if kept, ok := done[n]; ok {
		return kept
	}
	if n.names != nil {
		kept := dir()
		done[n] = kept
		for name, child := range n.durable {
			kept.names[name] = child.afterCrash(unsynced, done)
		}
		kept.durable = maps.Clone(kept.names)
		return kept
	}
	data := n.synced
	if more := len(n.data) - len(n.synced); more > 0 {
		half := len(n.synced) + (more+1)/2
		switch unsynced {
		case Torn:
			data = n.data[:half]
		case Holes:
			data = slices.Concat(n.synced, make([]byte, half-len(n.synced)), n.data[half:])
		}
	}
	kept := &node{data: slices.Clone(data), synced: slices.Clone(data)}
	done[n] = kept
	return kept
}

// find returns the directory of a path, its last name, and the node with that name, nil if
// there is none.
func (f *FS) find(path string) (parent *node, name string, n *node, err error) {
	if err := f.operation(); err != nil {
		return nil, "", nil, err
	}
	rel, err := filepath.Rel(f.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, "", nil, &fs.PathError{Op: "find", Path: path, Err: fs.ErrNotExist}
	}
	if rel == "." {
		return nil, "", f.top, nil
	}
	parent = f.top
	parts := strings.Split(rel, string(filepath.Separator))
	for _, part := range parts[:len(parts)-1] {
		if parent = parent.names[part]; parent == nil || parent.names == nil {
			return nil, "", nil, &fs.PathError{Op: "find", Path: path, Err: fs.ErrNotExist}
		}
	}
	name = parts[len(parts)-1]
	return parent, name, parent.names[name], nil
}

// existing is find for a node that must exist.
func (f *FS) existing(path string) (parent *node, name string, n *node, err error) {
	parent, name, n, err = f.find(path)
	if err == nil && n == nil {
		err = &fs.PathError{Op: "find", Path: path, Err: fs.ErrNotExist}
	}
	return parent, name, n, err
}

// OpenFile opens a file.
func (f *FS) OpenFile(path string, flag int, _ fs.FileMode) (disk.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	parent, name, n, err := f.find(path)
	if err != nil {
		return nil, err
	}
	existed := n != nil
	if n == nil {
		if flag&os.O_CREATE == 0 {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		if err := f.step(true); err != nil {
			return nil, err
		}
		n = &node{}
		parent.names[name] = n
	}
	if existed && flag&os.O_EXCL != 0 {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrExist}
	}
	if n.names != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	}
	if flag&os.O_TRUNC != 0 {
		n.data = nil
	}
	return &file{fs: f, node: n, name: name, end: flag&os.O_APPEND != 0}, nil
}

// Rename renames a file or a directory.
func (f *FS) Rename(from, to string) error { return f.rename(from, to, true) }

// RenameNew renames a file or a directory if the new name does not exist.
func (f *FS) RenameNew(from, to string) error { return f.rename(from, to, false) }

// Exchange gives each of two files the name of the other.
func (f *FS) Exchange(a, b string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step(false); err != nil {
		return err
	}
	first, firstName, one, err := f.existing(a)
	if err != nil {
		return err
	}
	second, secondName, other, err := f.existing(b)
	if err != nil {
		return err
	}
	first.names[firstName], second.names[secondName] = other, one
	return nil
}

func (f *FS) rename(from, to string, replace bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step(false); err != nil {
		return err
	}
	source, sourceName, n, err := f.existing(from)
	if err != nil {
		return err
	}
	target, targetName, old, err := f.find(to)
	if err != nil {
		return err
	}
	if old != nil && !replace {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	if old != nil && old.names != nil && len(old.names) > 0 {
		return &fs.PathError{Op: "rename", Path: to, Err: syscall.ENOTEMPTY}
	}
	delete(source.names, sourceName)
	target.names[targetName] = n
	return nil
}

// Remove removes a file or an empty directory.
func (f *FS) Remove(path string) error { return f.remove(path, false) }

// RemoveAll removes a file, or a directory with its contents.
func (f *FS) RemoveAll(path string) error {
	err := f.remove(path, true)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (f *FS) remove(path string, all bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	parent, name, n, err := f.existing(path)
	if err != nil {
		return err
	}
	if !all && len(n.names) > 0 {
		return &fs.PathError{Op: "remove", Path: path, Err: syscall.ENOTEMPTY}
	}
	if err := f.step(false); err != nil {
		return err
	}
	delete(parent.names, name)
	return nil
}

// Mkdir creates a directory.
func (f *FS) Mkdir(path string, _ fs.FileMode) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	parent, name, n, err := f.find(path)
	if err != nil || n != nil {
		return err
	}
	if err := f.step(true); err != nil {
		return err
	}
	parent.names[name] = dir()
	return nil
}

// SyncDir makes the names in a directory durable.
func (f *FS) SyncDir(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step(false); err != nil {
		return err
	}
	_, _, n, err := f.existing(path)
	if err == nil {
		n.durable = maps.Clone(n.names)
	}
	return err
}

// ReadDir lists a directory by name.
func (f *FS) ReadDir(path string) ([]fs.DirEntry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, _, n, err := f.existing(path)
	if err != nil {
		return nil, err
	}
	var list []fs.DirEntry
	for _, name := range slices.Sorted(maps.Keys(n.names)) {
		list = append(list, fs.FileInfoToDirEntry(describe(name, n.names[name])))
	}
	return list, nil
}

// Stat describes a file.
func (f *FS) Stat(path string) (fs.FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, name, n, err := f.existing(path)
	if err != nil {
		return nil, err
	}
	return describe(name, n), nil
}
