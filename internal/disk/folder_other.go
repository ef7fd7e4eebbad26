//go:build !linux

package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

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
