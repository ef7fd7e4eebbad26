package cache

import (
	"bufio"
	"bytes"
	"io"
	"strings"
)

// lineReader reads lines of any length in bounded memory.
type lineReader struct {
	r    *bufio.Reader
	keep int // how much of a line is kept, in bytes
}

func newLineReader(r io.Reader, keep int) *lineReader {
	return &lineReader{bufio.NewReaderSize(r, 256<<10), keep}
}

// next reads a line without its newline; cut is true if the line was longer than
// what is kept. The bytes are valid until the next call. After the last line the
// error is io.EOF.
func (l *lineReader) next() (line []byte, cut bool, err error) {
	piece, err := l.r.ReadSlice('\n')
	if err == io.EOF && len(piece) == 0 {
		return nil, false, io.EOF
	}
	if err != bufio.ErrBufferFull {
		if err == io.EOF {
			err = nil
		}
		line = bytes.TrimSuffix(piece, []byte("\n"))
		if len(line) > l.keep {
			return line[:l.keep], true, err
		}
		return line, false, err
	}
	line = bytes.Clone(piece[:min(len(piece), l.keep)])
	for err == bufio.ErrBufferFull {
		piece, err = l.r.ReadSlice('\n')
		if room := l.keep - len(line); room > 0 {
			line = append(line, piece[:min(room, len(piece))]...)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return line, true, err
}

func (l *lineReader) skip() error {
	_, err := l.r.ReadSlice('\n')
	begun := err == bufio.ErrBufferFull
	for err == bufio.ErrBufferFull {
		_, err = l.r.ReadSlice('\n')
	}
	if err == io.EOF && begun {
		return nil
	}
	return err
}

// collect reads the lines from first to last, up to a bound.
func (l *lineReader) collect(first, last, maxBytes int) (Lines, error) {
	p := Lines{First: first}
	var b strings.Builder
	for n := first; n <= last; n++ {
		line, cut, err := l.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return p, err
		}
		room := maxBytes - b.Len()
		if p.Last > 0 && len(line)+1 > room {
			p.More = true
			break
		}
		if p.Last > 0 {
			b.WriteByte('\n')
		}
		b.Write(line)
		p.Last, p.Cut = n, cut
	}
	if !p.More {
		_, err := l.r.Peek(1)
		p.More = err == nil
	}
	p.Text = strings.ToValidUTF8(b.String(), "\uFFFD")
	return p, nil
}
