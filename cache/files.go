package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
)

// Files keeps outputs in a directory, in the layout of the original chibi: ID.cache
// holds the output as the tool wrote it, ID.meta.json describes it. ID.index.json,
// which the original does not have, holds where lines begin.
type Files struct{ dir directory }

var _ Cache = Files{}

// Open opens a directory, which need not exist. It writes nothing.
func Open(dir string) Files { return Files{directory(dir)} }

// orphanAge is the age from which a file that belongs to no entry is removed: a
// younger one may be an output that is being written.
const orphanAge = time.Hour

// SpillFile makes an empty file in the directory.
func (c Files) SpillFile() (Spill, error) {
	f, err := disk.CreateSpill(string(c.dir))
	if err != nil {
		return nil, err
	}
	return &spill{file: f}, nil
}

// PutText saves a text as a tool's output.
func (c Files) PutText(tool string, arguments []byte, text string) (Entry, error) {
	e, _, err := c.putText(tool, arguments, text)
	return e, notSaved(tool, err)
}

func (c Files) putText(tool string, arguments []byte, text string) (Entry, lineIndex, error) {
	f, err := c.SpillFile()
	if err != nil {
		return Entry{}, lineIndex{}, err
	}
	defer disk.OS{}.Remove(f.Name()) // unless it was moved
	_, err = io.WriteString(f, text)
	if err := errors.Join(err, f.Close()); err != nil {
		return Entry{}, lineIndex{}, err
	}
	return c.put(tool, arguments, f)
}

// PutFile saves a file of the directory, see [Files.SpillFile]. It is moved, not
// copied. The content is written first, then its description, so that a visible
// entry is complete.
func (c Files) PutFile(tool string, arguments []byte, file Spilled) (Entry, error) {
	e, _, err := c.put(tool, arguments, file)
	return e, notSaved(tool, err)
}

func (c Files) put(tool string, arguments []byte, file Spilled) (Entry, lineIndex, error) {
	e, err := newEntry(tool, arguments)
	if err != nil {
		return e, lineIndex{}, err
	}
	return c.keep(e, file)
}

// keep makes a file of the directory the content of an entry, and describes it as it is.
func (c Files) keep(e Entry, file Spilled) (_ Entry, index lineIndex, err error) {
	e.Path = c.dir.content(e.ID)
	written := writtenTo(file)
	if err := disk.Sync(file.Name()); err != nil {
		return e, index, err
	}
	if err := disk.Move(disk.OS{}, file.Name(), e.Path); err != nil {
		return e, index, err
	}
	f, err := disk.OpenRegular(e.Path)
	if err != nil {
		return e, index, err
	}
	defer f.Close()
	index, err = written.of(f)
	if err != nil {
		return e, index, err
	}
	e = e.measured(index)
	if err := jsonfile.Write(c.dir.index(e.ID), index); err != nil {
		return e, index, err
	}
	return e, index, jsonfile.Write(c.dir.meta(e.ID), e)
}

// entry describes one entry. The error is ErrNotFound, with the id.
func (c Files) entry(id string) (Entry, error) {
	if !validID(id) {
		return Entry{}, notFound(id)
	}
	e, err := jsonfile.Read[Entry](c.dir.meta(id))
	if err != nil || e.ID != id {
		return Entry{}, notFound(id)
	}
	if e.SHA256 == "" { // the original counts bytes, and calls them characters
		e.Bytes = int64(e.Chars)
	}
	e.Path = c.dir.content(id)
	return e, nil
}

// Open opens the content of an entry. The error is ErrNotFound if the entry is
// damaged: its content is compared with its hash the first time, and whenever the
// file has been written since.
func (c Files) Open(_ context.Context, id string) (*Reader, error) {
	e, err := c.entry(id)
	if err != nil {
		return nil, err
	}
	f, err := disk.OpenRegular(e.Path)
	if err != nil {
		return nil, notFound(id)
	}
	index, err := c.index(e, f)
	if err != nil {
		f.Close()
		return nil, notFound(id)
	}
	return &Reader{content: f, size: index.Size, index: &index, close: f.Close}, nil
}

// index reads an entry's index. If it is missing or about another file, the content
// is verified and the index rebuilt. An entry of the original has no hash: for it
// only the size is compared. An index that cannot be written, in a home that is
// read-only or full, is built again the next time.
func (c Files) index(e Entry, f *os.File) (lineIndex, error) {
	info, err := f.Stat()
	if err != nil {
		return lineIndex{}, err
	}
	index, err := jsonfile.Read[lineIndex](c.dir.index(e.ID))
	if err == nil && index.matches(info) {
		return index, nil
	}
	if index, err = scanFile(f); err != nil {
		return index, err
	}
	if e.SHA256 != "" && e.SHA256 != index.sum || e.SHA256 == "" && e.Bytes != index.Size {
		return index, ErrNotFound
	}
	jsonfile.Write(c.dir.index(e.ID), index)
	return index, nil
}

// List lists the entries, the newest first.
func (c Files) List(context.Context) ([]Entry, error) {
	names, err := c.dir.names()
	if err != nil {
		return nil, fmt.Errorf("listing cached outputs: %w", err)
	}
	return c.entries(names), nil
}

// entries lists the entries among the files of the directory, the newest first.
func (c Files) entries(names []fs.DirEntry) (list []Entry) {
	for _, n := range names {
		if id, ok := strings.CutSuffix(n.Name(), ".meta.json"); ok {
			if e, err := c.entry(id); err == nil {
				list = append(list, e)
			}
		}
	}
	sortByAge(list)
	return list
}

// Clean removes entries beyond the limits, and old files that belong to none.
func (c Files) Clean(ctx context.Context, limits Limits) (removed int, err error) {
	names, err := c.dir.names()
	if err != nil {
		return 0, fmt.Errorf("cleaning the cache: %w", err)
	}
	entries := c.entries(names)
	if limits.Now.IsZero() {
		limits.Now = time.Now()
	}
	for _, e := range limits.expired(entries, Entry.Time) {
		if ctx.Err() != nil {
			return removed, ctx.Err()
		}
		if err := c.dir.remove(e.ID); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, c.removeOrphans(names, entries)
}

// removeOrphans removes old files that belong to none of the entries.
func (c Files) removeOrphans(names []fs.DirEntry, entries []Entry) error {
	known := map[string]bool{}
	for _, e := range entries {
		known[e.ID] = true
	}
	for _, n := range names {
		if id, _, _ := strings.Cut(n.Name(), "."); known[id] {
			continue
		}
		info, err := n.Info()
		if err != nil || time.Since(info.ModTime()) < orphanAge {
			continue
		}
		if err := (disk.OS{}).Remove(filepath.Join(string(c.dir), n.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cleaning the cache: %w", err)
		}
	}
	return nil
}

// Clear removes the directory with everything in it.
func (c Files) Clear() error {
	if err := (disk.OS{}).RemoveAll(string(c.dir)); err != nil {
		return fmt.Errorf("clearing the cache: %w", err)
	}
	return nil
}
