package coding

import (
	"bytes"
	"io"
)

// The sizes of pieces.
const (
	// firstPiece is how much is read at once, in bytes.
	firstPiece = 256 << 10
	// maxPiece is how much is read for one line; text behind that counts as a further line.
	maxPiece = 4 << 20
	// maxContext is how much of a piece is kept for the lines before a match in the next one.
	maxContext = 64 << 10
)

// pieces reads a file in pieces of whole lines. It keeps its memory for the next file.
type pieces struct {
	file   io.Reader
	left   int64 // what is not read yet, by the size of the file
	buffer []byte
	filled int // up to where the buffer has text
	whole  int // up to where it has whole lines
	// old is up to where lines were seen before; they are kept for their context.
	old    int
	number int // of the first line in the buffer
	isLast bool
}

// start begins with a file of a size.
func (p *pieces) start(file io.Reader, size int64) {
	if p.buffer == nil {
		p.buffer = make([]byte, firstPiece)
	}
	*p = pieces{file: file, left: size, buffer: p.buffer, number: 1}
}

// next returns whole lines: those that are new begin at p.old. At the end there are none.
func (p *pieces) next() ([]byte, error) {
	for !p.isLast {
		if err := p.fill(); err != nil {
			return nil, err
		}
		p.whole = p.filled
		if !p.isLast {
			p.whole = bytes.LastIndexByte(p.buffer[:p.filled], '\n') + 1
		}
		switch {
		case p.whole > p.old || p.isLast:
			return p.buffer[:p.whole], nil
		case len(p.buffer) < maxPiece:
			p.buffer = append(p.buffer, make([]byte, len(p.buffer))...)
		default:
			p.whole = p.filled
			return p.buffer[:p.whole], nil
		}
	}
	return nil, nil
}

// fill reads until the buffer is full, or the file has ended. A file is not asked for more
// than it had when it was opened.
func (p *pieces) fill() error {
	for p.filled < len(p.buffer) {
		n, err := p.file.Read(p.buffer[p.filled:])
		p.filled += n
		p.left -= int64(n)
		if err == io.EOF || err == nil && p.left <= 0 {
			p.isLast = true
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// slide makes room for the next piece: only so many lines before it are kept. It returns
// how many bytes went.
func (p *pieces) slide(lines int) int {
	from := p.whole
	for range lines {
		start := bytes.LastIndexByte(p.buffer[:max(from-1, 0)], '\n') + 1
		if p.whole-start > maxContext || from == 0 {
			break
		}
		from = start
	}
	p.number += bytes.Count(p.buffer[:from], []byte("\n"))
	p.filled = copy(p.buffer, p.buffer[from:p.filled])
	p.old = p.whole - from
	return from
}
