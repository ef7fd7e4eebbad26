package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/clip"
)

// indexStep is the number of lines between two places in an index.
const indexStep = 1024

// lineIndex holds where lines begin, so that the middle of a large file is found
// without reading the file up to there. It is valid for a file of this size and
// time.
type lineIndex struct {
	Size    int64   `json:"size"`
	ModTime int64   `json:"mod_time_ns"`
	Lines   int     `json:"lines"`
	Offsets []int64 `json:"offsets"` // of lines 1, 1025, 2049, ...

	chars  int
	sum    string
	binary bool
}

// matches reports whether the index is valid for a file as it is now.
func (i lineIndex) matches(info os.FileInfo) bool {
	return i.Size == info.Size() && i.ModTime == info.ModTime().UnixNano()
}

// before returns the last place at or before a line, and that place's line.
func (i lineIndex) before(line int) (offset int64, at int) {
	n := min((line-1)/indexStep, len(i.Offsets)-1)
	if n < 0 {
		return 0, 1
	}
	return i.Offsets[n], n*indexStep + 1
}

// scanFile is scan for an open file, with its time.
func scanFile(f *os.File) (lineIndex, error) {
	info, err := f.Stat()
	if err != nil {
		return lineIndex{}, err
	}
	index, err := scan(f, info.Size())
	index.ModTime = info.ModTime().UnixNano()
	return index, err
}

// scan reads a text once and returns its lines, characters and hash. Memory does
// not depend on the size.
func scan(text io.ReaderAt, size int64) (lineIndex, error) {
	index := lineIndex{Size: size}
	hash := sha256.New()
	var counter counter
	r := io.NewSectionReader(text, 0, size)
	buf := make([]byte, 256<<10)
	for offset := int64(0); ; {
		n, err := io.ReadFull(r, buf)
		hash.Write(buf[:n])
		counter.add(buf[:n])
		index.addLines(buf[:n], offset)
		offset += int64(n)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return index, err
		}
	}
	counter.end()
	index.chars, index.binary, index.sum = counter.chars, counter.binary, hex.EncodeToString(hash.Sum(nil))
	return index, index.endLines(text)
}

// addLines records where lines begin. A line begins at 0 and after each newline.
func (i *lineIndex) addLines(data []byte, offset int64) {
	if offset == 0 && len(data) > 0 {
		i.Offsets, i.Lines = []int64{0}, 1
	}
	for at := 0; ; {
		n := bytes.IndexByte(data[at:], '\n')
		if n < 0 {
			return
		}
		at += n + 1
		if i.Lines%indexStep == 0 {
			i.Offsets = append(i.Offsets, offset+int64(at))
		}
		i.Lines++
	}
}

// endLines removes the line that would begin after the last newline.
func (i *lineIndex) endLines(text io.ReaderAt) error {
	if i.Size == 0 {
		return nil
	}
	last := make([]byte, 1)
	if _, err := text.ReadAt(last, i.Size-1); err != nil {
		return err
	}
	if last[0] == '\n' {
		i.Lines--
		if i.Lines > 0 && i.Lines%indexStep == 0 {
			i.Offsets = i.Offsets[:len(i.Offsets)-1]
		}
	}
	return nil
}

// counter counts characters in pieces of text; a byte that is not UTF-8 counts as
// one.
type counter struct {
	chars  int
	binary bool
	rest   []byte // the beginning of an incomplete character
}

func (c *counter) add(data []byte) {
	if len(c.rest) > 0 {
		data = append(c.rest, data...)
		c.rest = nil
	}
	keep := clip.Whole(data)
	c.count(data[:keep])
	c.rest = bytes.Clone(data[keep:])
}

func (c *counter) count(data []byte) {
	c.chars += utf8.RuneCount(data)
	c.binary = c.binary || !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0
}

func (c *counter) end() { c.count(c.rest) }
