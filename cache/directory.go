package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
)

// directory knows which files of a directory belong to an entry.
type directory string

func (d directory) content(id string) string { return filepath.Join(string(d), id+".cache") }

// meta describes an entry, index says where its lines begin.
func (d directory) meta(id string) jsonfile.File  { return d.json(id + ".meta.json") }
func (d directory) index(id string) jsonfile.File { return d.json(id + ".index.json") }

// maxMeta bounds the files that describe an entry, in bytes.
const maxMeta = 64 << 20

func (d directory) json(name string) jsonfile.File {
	return jsonfile.File{Path: filepath.Join(string(d), name), Max: maxMeta}
}

// names lists the directory; a missing one counts as empty.
func (d directory) names() ([]fs.DirEntry, error) {
	names, err := os.ReadDir(string(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return names, err
}

// remove removes one entry. Its description is removed first, so that a crash
// leaves no entry without content.
func (d directory) remove(id string) error {
	for _, path := range []string{d.meta(id).Path, d.index(id).Path, d.content(id)} {
		if err := (disk.OS{}).Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing cached output %q: %w", id, err)
		}
	}
	return nil
}
