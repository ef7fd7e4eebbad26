// Package disktest is a file system for crash tests. It lives in memory, counts
// operations, and can fail at any of them as if the power had gone: what was
// not synced by then may be lost.
//
// It promises to lose everything that a file system may lose: bytes that were
// not synced, a part of a write, names whose folder was not synced. It is safe
// for concurrent use.
package disktest

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
)

// ErrPower is what every operation fails with once the power has gone.
var ErrPower = errors.New("the power has gone")

// FS is a file system in memory. Make one with New.
type FS struct {
	mu      sync.Mutex
	names   map[string]*node // as programs see them
	durable map[string]*node // as they would be after a crash
	left    int              // operations until the power goes; negative: it stays
	gone    bool
}

// node is a file or a folder.
type node struct {
	folder bool
	data   []byte
	synced []byte
}

var _ disk.FS = (*FS)(nil)

// New makes an empty file system with one folder, in which the power goes at
// operation number cut, from 0. With a negative cut it stays.
func New(root string, cut int) *FS {
	top := map[string]*node{root: {folder: true}}
	return &FS{names: top, durable: maps.Clone(top), left: cut}
}

// Gone says whether the power has gone.
func (f *FS) Gone() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.gone
}

// AfterCrash is what the disk holds when the power is back. With torn, the
// first half of what was written and not synced has reached the disk; without,
// nothing of it.
func (f *FS) AfterCrash(torn bool) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	names := map[string]*node{}
	for name, n := range f.durable {
		kept := n.synced
		if more := len(n.data) - len(n.synced); torn && more > 0 {
			kept = n.data[:len(n.synced)+(more+1)/2]
		}
		names[name] = &node{folder: n.folder, data: clone(kept), synced: clone(kept)}
	}
	return &FS{names: names, durable: maps.Clone(names), left: -1}
}

// step counts an operation; it fails when the power has gone.
func (f *FS) step() error {
	if f.gone || f.left == 0 {
		f.gone = true
		return ErrPower
	}
	if f.left > 0 {
		f.left--
	}
	return nil
}

// OpenFile opens a file.
func (f *FS) OpenFile(name string, flag int, _ fs.FileMode) (disk.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gone {
		return nil, ErrPower
	}
	n := f.names[name]
	if n == nil {
		if parent := f.names[filepath.Dir(name)]; flag&os.O_CREATE == 0 || parent == nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		if err := f.step(); err != nil {
			return nil, err
		}
		n = &node{}
		f.names[name] = n
	}
	if flag&os.O_TRUNC != 0 {
		n.data = nil
	}
	return &file{fs: f, node: n, name: name, end: flag&os.O_APPEND != 0}, nil
}

// Rename renames a file.
func (f *FS) Rename(from, to string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step(); err != nil {
		return err
	}
	n := f.names[from]
	if n == nil {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	}
	delete(f.names, from)
	f.names[to] = n
	return nil
}

// Remove removes a file.
func (f *FS) Remove(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.names[name] == nil {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	}
	if err := f.step(); err != nil {
		return err
	}
	delete(f.names, name)
	return nil
}

// Mkdir makes a folder.
func (f *FS) Mkdir(name string, _ fs.FileMode) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step(); err != nil {
		return err
	}
	if f.names[name] == nil {
		f.names[name] = &node{folder: true}
	}
	return nil
}

// SyncDir makes the names in a folder durable.
func (f *FS) SyncDir(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step(); err != nil {
		return err
	}
	for path := range f.durable {
		if filepath.Dir(path) == name && f.names[path] == nil {
			delete(f.durable, path)
		}
	}
	for path, n := range f.names {
		if filepath.Dir(path) == name {
			f.durable[path] = n
		}
	}
	return nil
}

// Stat describes a file.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.names[name]
	if n == nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return info{name, n.folder, int64(len(n.data))}, nil
}

// file is an open file.
type file struct {
	fs     *FS
	node   *node
	name   string
	end    bool // writes go to the end
	offset int64
}

func (f *file) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.offset)
	f.offset += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (f *file) ReadAt(p []byte, offset int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if offset >= int64(len(f.node.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.node.data[offset:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Write writes; if the power goes, half of it has been written.
func (f *file) Write(p []byte) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	err := f.fs.step()
	if err != nil {
		p = p[:len(p)/2]
	}
	if f.end {
		f.offset = int64(len(f.node.data))
	}
	f.node.data = append(clone(f.node.data[:f.offset]), p...)
	f.offset += int64(len(p))
	return len(p), err
}

func (f *file) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
		f.offset = offset
	case io.SeekCurrent:
		f.offset += offset
	case io.SeekEnd:
		f.offset = int64(len(f.node.data)) + offset
	}
	return f.offset, nil
}

func (f *file) Truncate(size int64) error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.fs.step(); err != nil {
		return err
	}
	f.node.data = clone(f.node.data[:size])
	return nil
}

func (f *file) Sync() error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.fs.step(); err != nil {
		return err
	}
	f.node.synced = clone(f.node.data)
	return nil
}

func (f *file) Stat() (fs.FileInfo, error) { return f.fs.Stat(f.name) }
func (f *file) Close() error               { return nil }

// info describes a file.
type info struct {
	name   string
	folder bool
	size   int64
}

func (i info) Name() string       { return filepath.Base(i.name) }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.folder }
func (i info) Sys() any           { return nil }

func (i info) Mode() fs.FileMode {
	if i.folder {
		return fs.ModeDir | 0o700
	}
	return 0o600
}

func clone(data []byte) []byte { return append([]byte(nil), data...) }
