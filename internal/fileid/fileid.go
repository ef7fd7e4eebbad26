// Package fileid tells whether a file is still the one that was seen before, by the kernel's
// data about it and without reading it.
//
// What it promises: where [Stable] holds, every change of a file changes its [ID], unless it
// happens within the granularity of the kernel's clock: see [ID.Settled]. Times that
// programs can set (touch, cp -p, rsync -t) do not hide a change. The package changes
// nothing and keeps no state; its functions are safe for concurrent use.
package fileid

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ID identifies a file in one state. Two values are compared with ==.
type ID struct {
	// Dev and Ino are the device and the inode.
	Dev uint64 `json:"dev"`
	Ino uint64 `json:"ino"`
	// Size is in bytes.
	Size int64 `json:"size"`
	// MTime is when its content last changed, as programs may have set it, and CTime when
	// anything of it last changed: nanoseconds since 1970.
	MTime int64 `json:"mtime_ns"`
	CTime int64 `json:"ctime_ns"`
	// Mode are its type and permissions.
	Mode fs.FileMode `json:"mode"`
}

// Of returns the identity of a file that os.Stat or os.Lstat described.
func Of(info fs.FileInfo) ID {
	id := ID{Size: info.Size(), MTime: info.ModTime().UnixNano(), Mode: info.Mode()}
	id.Dev, id.Ino, id.CTime = system(info)
	return id
}

// Stat returns the identity of the file that a path leads to.
func Stat(path string) (ID, error) {
	info, err := os.Stat(path)
	if err != nil {
		return ID{}, err
	}
	return Of(info), nil
}

// granularity is more than the steps in which any kernel's clock for files advances.
const granularity = 2 * time.Second

// Settled reports whether the file had not just changed at the given time: a further change
// right after it could have the same time, and would not be noticed.
func (id ID) Settled(at time.Time) bool { return settled(id.CTime, at) }

func settled(changed int64, at time.Time) bool { return at.Sub(time.Unix(0, changed)) >= granularity }

// The bounds of what is examined of a directory.
const (
	maxFiles = 200
	maxDepth = 3
)

// Folder identifies the contents of a directory together: of its first 200 files and
// directories, three levels deep. Two values are compared with ==.
type Folder struct {
	// Count is the number of files and directories.
	Count int `json:"count"`
	// Newest is when the latest of them changed, in nanoseconds since 1970.
	Newest int64 `json:"newest_ctime_ns"`
}

// Contents returns the identity of a directory's contents.
func Contents(dir string) (Folder, error) {
	var f Folder
	info, err := os.Stat(dir)
	if err != nil {
		return f, err
	}
	f.Newest = Of(info).CTime
	return f, f.add(dir, maxDepth)
}

// Settled is [ID.Settled] for everything in the directory.
func (f Folder) Settled(at time.Time) bool { return settled(f.Newest, at) }

// add adds the entries of a directory, and of those below it to the given depth.
func (f *Folder) add(dir string, depth int) error {
	opened, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer opened.Close()
	entries, err := opened.ReadDir(maxFiles - f.Count)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for _, e := range entries {
		if f.Count == maxFiles {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		f.Count++
		f.Newest = max(f.Newest, Of(info).CTime)
		if !e.IsDir() || depth == 1 || f.Count == maxFiles {
			continue
		}
		if err := f.add(filepath.Join(dir, e.Name()), depth-1); err != nil {
			return err
		}
	}
	return nil
}
