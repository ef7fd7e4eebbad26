package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// Kind is what a name in a directory stands for.
type Kind uint8

// The kinds.
const (
	KindFile   Kind = iota // a regular file
	KindFolder             // a directory
	KindLink               // a symbolic link
	KindOther              // a named pipe, a device, a socket
)

// Entry is a name in a directory.
type Entry struct {
	Name string
	Kind Kind
}

// Folder is a directory of a walk: it is opened from the one above it, and no link is
// followed. It costs less than a [Dir]. Its methods can be called at the same time, but
// for Entries and Close.
//
//	Entries  lists at most so many names, unsorted; isAll is false if there are more.
//	Sub      opens a directory in it.
//	Open     opens a regular file in it for reading, and does not block.
//	Close    closes it.
type Folder struct{ folder }

// Opened is a file that a walk reads. It is used by one goroutine.
//
//	Read     reads on; it returns io.EOF at the end.
//	Size     is the size when it was opened, in bytes.
//	IsSame   reports whether it is the file that was described.
//	Close    closes it.
type Opened struct{ opened }

// Folder opens the directory for a walk.
func (d *Dir) Folder() (*Folder, error) {
	f, err := d.Handle()
	if err != nil {
		return nil, err
	}
	inner, err := newFolder(f)
	if err != nil {
		return nil, err
	}
	return &Folder{inner}, nil
}

// Sub opens a directory of the directory.
func (f *Folder) Sub(name string) (*Folder, error) {
	inner, err := f.folder.sub(name)
	if err != nil {
		return nil, err
	}
	return &Folder{inner}, nil
}

// entriesOf lists at most so many names of an open directory.
func entriesOf(dir *os.File, most int) (list []Entry, isAll bool, err error) {
	entries, err := dir.ReadDir(most + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	for _, e := range entries[:min(len(entries), most)] {
		list = append(list, Entry{e.Name(), kindOf(e.Type())})
	}
	return list, len(entries) <= most, nil
}

func kindOf(mode fs.FileMode) Kind {
	switch {
	case mode.IsRegular():
		return KindFile
	case mode.IsDir():
		return KindFolder
	case mode&fs.ModeSymlink != 0:
		return KindLink
	}
	return KindOther
}
