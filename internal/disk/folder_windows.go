package disk

import (
	"io/fs"
	"os"
	"path/filepath"
)

// folder is a directory by its name.
type folder struct{ dir *Dir }

func newFolder(f *os.File) (folder, error) {
	defer f.Close()
	dir, err := OpenDir(filepath.Clean(f.Name()))
	return folder{dir}, err
}

func (f folder) sub(name string) (folder, error) {
	dir, err := f.dir.Sub(name)
	return folder{dir}, err
}

func (f folder) Close() { f.dir.Close() }

func (f folder) Entries(most int) (list []Entry, isAll bool, err error) {
	file, err := f.dir.Handle()
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	return entriesOf(file, most)
}

type opened struct {
	file *os.File
	info fs.FileInfo
}

func (f folder) Open(name string) (Opened, error) {
	file, err := f.dir.OpenRegular(name)
	if err != nil {
		return Opened{}, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return Opened{}, err
	}
	return Opened{opened{file, info}}, nil
}

func (o *opened) Size() int64 { return o.info.Size() }

func (o *opened) Close() { o.file.Close() }

func (o *opened) Read(p []byte) (int, error) { return o.file.Read(p) }

// IsSame reports whether the file is the one that was described.
func (o *opened) IsSame(info fs.FileInfo) bool { return os.SameFile(o.info, info) }
