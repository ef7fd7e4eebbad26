package cache

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// Text is a file that is read piece by piece. It is not safe for concurrent
// use.
type Text struct {
	file  *os.File
	size  int64
	index *Index // nil: not known yet
}

// Text opens the content of an entry. The error is ErrNotFound if the entry is
// damaged: its content is held against its hash the first time, and whenever the
// file has been written since.
func (c *Cache) Text(id string) (*Text, error) {
	e, err := c.Entry(id)
	if err != nil {
		return nil, err
	}
	f, err := disk.OpenRegular(c.contentFile(id))
	if err != nil {
		return nil, notFound(id)
	}
	index, err := c.index(e, f)
	if err != nil {
		f.Close()
		return nil, notFound(id)
	}
	return &Text{file: f, size: index.Size, index: &index}, nil
}

// index reads an entry's index; if it is missing or about another file, the
// content is verified and the index made anew. An entry of the original has no
// hash: there the size must do.
func (c *Cache) index(e Entry, f *os.File) (Index, error) {
	info, err := f.Stat()
	if err != nil {
		return Index{}, err
	}
	var index Index
	data, err := disk.ReadFile(c.fs, c.indexFile(e.ID), maxMeta)
	if err == nil && strictjson.Decode(data, &index) == nil && index.fits(info) {
		return index, nil
	}
	if index, err = scanFile(f); err != nil {
		return index, err
	}
	if e.SHA256 != "" && e.SHA256 != index.sum || e.SHA256 == "" && e.Bytes != index.Size {
		return index, ErrNotFound
	}
	return index, c.writeJSON(c.indexFile(e.ID), index)
}

// FileText makes a text of any open regular file, which is closed with it.
func FileText(f *os.File) (*Text, error) {
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Text{file: f, size: info.Size()}, nil
}

// Close closes the file.
func (t *Text) Close() error { return t.file.Close() }

// Size is the size in bytes.
func (t *Text) Size() int64 { return t.size }

// Piece is some lines of a text.
type Piece struct {
	// Text is the lines, joined by newlines, without one at the end. Bytes that
	// are not UTF-8 are replaced.
	Text string
	// First and Last are their numbers, from 1; Last is 0 if there are none.
	First, Last int
	// Cut says that the bound on bytes was met: Text ends within line Last.
	Cut bool
	// More says that lines follow.
	More bool
}

// Lines reads the lines from first to last, both inclusive, at most so many
// bytes of them. Lines beyond the end are left out.
func (t *Text) Lines(first, last, maxBytes int) (Piece, error) {
	if err := t.needIndex(first); err != nil {
		return Piece{}, err
	}
	offset, line := int64(0), 1
	if t.index != nil {
		offset, line = t.index.before(first)
	}
	r := newLineReader(io.NewSectionReader(t.file, offset, t.size-offset), maxBytes)
	for ; line < first; line++ {
		if err := r.skip(); err == io.EOF {
			return Piece{First: first}, nil
		} else if err != nil {
			return Piece{}, err
		}
	}
	return r.collect(first, last, maxBytes)
}

// needIndex makes an index of a file if a line far from its begin is wanted.
func (t *Text) needIndex(line int) error {
	if t.index != nil || line < indexStep {
		return nil
	}
	index, err := scanFile(t.file)
	t.index = &index
	return err
}

// Tail reads the last lines, at most so many bytes of them: of more, the end.
func (t *Text) Tail(lines, maxBytes int) (Piece, error) {
	begin, count := t.size, 0
	buf := make([]byte, 64<<10)
	for begin > 0 && count <= lines && t.size-begin < int64(maxBytes)+1 {
		n := min(int64(len(buf)), begin)
		if _, err := t.file.ReadAt(buf[:n], begin-n); err != nil && err != io.EOF {
			return Piece{}, err
		}
		for i := n - 1; i >= 0; i-- {
			if buf[i] == '\n' && begin-n+i != t.size-1 {
				if count++; count == lines {
					return t.tailFrom(begin-n+i+1, maxBytes)
				}
			}
		}
		begin -= n
	}
	return t.tailFrom(begin, maxBytes)
}

// tailFrom reads from an offset to the end.
func (t *Text) tailFrom(begin int64, maxBytes int) (Piece, error) {
	cut := t.size-begin > int64(maxBytes)
	if cut {
		begin = t.size - int64(maxBytes)
	}
	data := make([]byte, t.size-begin)
	if _, err := t.file.ReadAt(data, begin); err != nil && err != io.EOF {
		return Piece{}, err
	}
	text := strings.TrimSuffix(strings.ToValidUTF8(string(data), "\uFFFD"), "\n")
	p := Piece{Text: text, Cut: cut}
	if t.index != nil {
		p.Last = t.index.Lines
		p.First = p.Last - strings.Count(text, "\n")
	}
	return p, nil
}

// Head reads the first lines, at most so many bytes of them.
func (t *Text) Head(lines, maxBytes int) (Piece, error) { return t.Lines(1, lines, maxBytes) }

// Preview is the beginning of a text: so many characters, cut back to the last
// whole line if there is one.
func (t *Text) Preview(chars int) (string, error) {
	data := make([]byte, min(t.size, int64(chars)*4))
	if _, err := t.file.ReadAt(data, 0); err != nil && err != io.EOF {
		return "", fmt.Errorf("reading a preview: %w", err)
	}
	runes := []rune(strings.ToValidUTF8(string(data), "\uFFFD"))
	if len(runes) > chars {
		runes = runes[:chars]
	}
	text := string(runes)
	if i := strings.LastIndexByte(text, '\n'); i > 0 {
		text = text[:i]
	}
	return text, nil
}
