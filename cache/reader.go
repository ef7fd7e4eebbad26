package cache

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// Reader reads a text piece by piece. It is not safe for concurrent use.
type Reader struct {
	content io.ReaderAt
	size    int64
	index   *lineIndex // nil: not known yet
	close   func() error
}

// NewReader returns a reader of any open regular file, which is closed with it.
func NewReader(f *os.File) (*Reader, error) {
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Reader{content: f, size: info.Size(), close: f.Close}, nil
}

// Close closes the content.
func (t *Reader) Close() error { return t.close() }

// Size returns the size in bytes.
func (t *Reader) Size() int64 { return t.size }

// Content returns a reader of the whole text.
func (t *Reader) Content() io.Reader { return io.NewSectionReader(t.content, 0, t.size) }

// Lines is a range of lines of a text.
type Lines struct {
	// Text is the lines, joined by newlines, without one at the end. Bytes that
	// are not UTF-8 are replaced.
	Text string
	// First and Last are their numbers, from 1; Last is 0 if there are none.
	First, Last int
	// Cut is true if the bound on bytes was reached: Text ends within line Last.
	Cut bool
	// More is true if lines follow.
	More bool
}

// Lines reads the lines from first to last, both inclusive, at most so many bytes.
// Lines beyond the end are left out.
func (t *Reader) Lines(first, last, maxBytes int) (Lines, error) {
	if err := t.needIndex(first); err != nil {
		return Lines{}, err
	}
	offset, line := int64(0), 1
	if t.index != nil {
		offset, line = t.index.before(first)
	}
	r := newLineReader(io.NewSectionReader(t.content, offset, t.size-offset), maxBytes)
	for ; line < first; line++ {
		if err := r.skip(); err == io.EOF {
			return Lines{First: first}, nil
		} else if err != nil {
			return Lines{}, err
		}
	}
	return r.collect(first, last, maxBytes)
}

// needIndex builds the index of a file if a line far from its beginning is wanted.
func (t *Reader) needIndex(line int) error {
	if t.index != nil || line < indexStep {
		return nil
	}
	index, err := scan(t.content, t.size)
	t.index = &index
	return err
}

// Tail reads the last lines; if they exceed so many bytes, only their end.
func (t *Reader) Tail(lines, maxBytes int) (Lines, error) {
	begin, count := t.size, 0
	buf := make([]byte, 64<<10)
	for begin > 0 && count <= lines && t.size-begin < int64(maxBytes)+1 {
		n := min(int64(len(buf)), begin)
		if _, err := t.content.ReadAt(buf[:n], begin-n); err != nil && err != io.EOF {
			return Lines{}, err
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

func (t *Reader) tailFrom(begin int64, maxBytes int) (Lines, error) {
	cut := t.size-begin > int64(maxBytes)
	if cut {
		begin = t.size - int64(maxBytes)
	}
	data := make([]byte, t.size-begin)
	if _, err := t.content.ReadAt(data, begin); err != nil && err != io.EOF {
		return Lines{}, err
	}
	text := strings.TrimSuffix(strings.ToValidUTF8(string(data), "\uFFFD"), "\n")
	p := Lines{Text: text, Cut: cut}
	if t.index != nil {
		p.Last = t.index.Lines
		p.First = p.Last - strings.Count(text, "\n")
	}
	return p, nil
}

// Head reads the first lines, at most so many bytes.
func (t *Reader) Head(lines, maxBytes int) (Lines, error) { return t.Lines(1, lines, maxBytes) }

// Preview returns the beginning of a text: so many characters, cut back to the last
// complete line if there is one.
func (t *Reader) Preview(chars int) (string, error) {
	data := make([]byte, min(t.size, int64(chars)*4))
	if _, err := t.content.ReadAt(data, 0); err != nil && err != io.EOF {
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
