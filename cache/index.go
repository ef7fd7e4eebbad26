package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
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
	m := newMeasure()
	n, err := io.CopyBuffer(m, io.NewSectionReader(text, 0, size), make([]byte, blockSize))
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	return m.end(), err
}

// blockSize is how many bytes are measured at once.
const blockSize = 256 << 10

// measure finds the lines, characters and hash of a text that comes in pieces.
type measure struct {
	index   lineIndex
	hash    hash.Hash
	counter counter
	last    byte
}

func newMeasure() *measure { return &measure{hash: sha256.New()} }

// Write adds a piece. It never fails.
func (m *measure) Write(data []byte) (int, error) {
	if len(data) == 0 {
		return 0, nil
	}
	m.hash.Write(data)
	m.counter.add(data)
	m.index.addLines(data)
	m.last = data[len(data)-1]
	return len(data), nil
}

// end returns the result. Nothing may be added any more.
func (m *measure) end() lineIndex {
	m.counter.end()
	index := m.index
	index.chars, index.binary, index.sum = m.counter.chars, m.counter.binary, hex.EncodeToString(m.hash.Sum(nil))
	if m.last == '\n' {
		index.endLines()
	}
	return index
}

// addLines records where lines begin. A line begins at 0 and after each newline.
func (i *lineIndex) addLines(data []byte) {
	if i.Size == 0 {
		i.Offsets, i.Lines = []int64{0}, 1
	}
	for at := 0; ; {
		n := bytes.IndexByte(data[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
		if i.Lines%indexStep == 0 {
			i.Offsets = append(i.Offsets, i.Size+int64(at))
		}
		i.Lines++
	}
	i.Size += int64(len(data))
}

// endLines removes the line that would begin after the last newline.
func (i *lineIndex) endLines() {
	i.Lines--
	if i.Lines > 0 && i.Lines%indexStep == 0 {
		i.Offsets = i.Offsets[:len(i.Offsets)-1]
	}
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
	c.binary = c.binary || bytes.IndexByte(data, 0) >= 0
	if isASCII(data) {
		c.chars += len(data)
		return
	}
	c.chars += utf8.RuneCount(data)
	c.binary = c.binary || !utf8.Valid(data)
}

// isASCII reports whether all bytes are below 128. It takes eight at once: counting
// characters one by one takes longer than hashing them.
func isASCII(data []byte) bool {
	const high = 0x8080808080808080
	for ; len(data) >= 8; data = data[8:] {
		if binary.LittleEndian.Uint64(data)&high != 0 {
			return false
		}
	}
	for _, b := range data {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (c *counter) end() { c.count(c.rest) }
