package disktest

import (
	"io"
	"io/fs"
	"slices"
	"time"
)

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

// Write writes data; if the failure begins here, only half of it.
func (f *file) Write(p []byte) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	err := f.fs.step(true)
	if err != nil {
		p = p[:len(p)/2]
	}
	if f.end {
		f.offset = int64(len(f.node.data))
	}
	after := f.node.data[min(f.offset+int64(len(p)), int64(len(f.node.data))):]
	f.node.data = slices.Concat(f.node.data[:f.offset], p, after)
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
	if err := f.fs.step(false); err != nil {
		return err
	}
	f.node.data = slices.Clone(f.node.data[:size])
	return nil
}

func (f *file) Sync() error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.fs.step(false); err != nil {
		return err
	}
	f.node.synced = slices.Clone(f.node.data)
	return nil
}

func (f *file) Stat() (fs.FileInfo, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return describe(f.name, f.node), nil
}

func (f *file) Close() error { return nil }

// info describes a file.
type info struct {
	name string
	dir  bool
	size int64
	node *node
}

func describe(name string, n *node) info { return info{name, n.names != nil, int64(len(n.data)), n} }

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.dir }
func (i info) Sys() any           { return i.node }

func (i info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o700
	}
	return 0o600
}
