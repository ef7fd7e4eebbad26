package coding

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/clip"
)

// maxGreppedLine is how much is shown of a line, in bytes.
const maxGreppedLine = 500

type wanted struct {
	matcher *matcher
	context int // lines around a match
	most    int // lines that match, of each file
	counts  bool
	until   time.Time
}

type shownLine struct {
	number  int
	text    string
	isMatch bool
}

type searched struct {
	path     string
	matches  int
	lines    []shownLine
	isBinary bool // and was not searched
	isLate   bool // the time was over before its end
}

type searcher struct {
	wanted
	pieces pieces
	found  searched
	shown  int // up to where the lines of the piece are in the answer
	after  int // how many more lines belong to the last match
}

// search searches a file. Without mayBeBinary, a binary file is not searched.
func (s *searcher) search(file io.Reader, size int64, mayBeBinary bool) (searched, error) {
	s.found, s.shown, s.after = searched{}, 0, 0
	s.pieces.start(file, size)
	for {
		isFirst := s.pieces.filled == 0
		data, err := s.pieces.next()
		if err != nil || data == nil {
			return s.found, err
		}
		if isFirst && !mayBeBinary && isBinary(s.pieces.buffer[:min(s.pieces.filled, binaryPrefix)]) {
			s.found.isBinary = true
			return s.found, nil
		}
		if s.piece(data) || s.pieces.isLast {
			return s.found, nil
		}
		if time.Now().After(s.until) {
			s.found.isLate = true
			return s.found, nil
		}
		s.shown -= s.pieces.slide(s.context)
	}
}

// piece searches the new lines of a piece. It reports whether enough was found.
func (s *searcher) piece(data []byte) bool {
	s.shown = max(s.shown, 0)
	count := counter{data: data, number: s.pieces.number}
	matches := s.matcher.in(data)
	for at := s.pieces.old; ; {
		line, ok := matches.from(at)
		if !ok {
			break
		}
		s.found.matches++
		if !s.counts {
			s.follow(&count, line.start)
			s.precede(&count, line.start)
			s.add(&count, line)
			s.after = s.context
		}
		if at = line.end + 1; s.found.matches == s.most && !s.counts {
			s.follow(&count, len(data))
			return true
		}
	}
	s.follow(&count, len(data))
	return false
}

type counter struct {
	data    []byte
	number  int // of the line at counted
	counted int
}

// at returns the number of a line that is not before the last one.
func (c *counter) at(start int) int {
	c.number += bytes.Count(c.data[c.counted:start], []byte("\n"))
	c.counted = start
	return c.number
}

// follow adds lines that belong to the last match, up to a place.
func (s *searcher) follow(c *counter, to int) {
	for s.after > 0 && s.shown < to {
		end := indexFrom(c.data, '\n', s.shown)
		s.add(c, span{s.shown, end, -1})
		s.after--
	}
}

// precede adds the lines before a match that are not in the answer already.
func (s *searcher) precede(c *counter, match int) {
	start := match
	for range s.context {
		if start <= s.shown {
			break
		}
		start = bytes.LastIndexByte(c.data[:start-1], '\n') + 1
	}
	for start = max(start, s.shown); start < match; start = s.shown {
		s.add(c, span{start, indexFrom(c.data, '\n', start), -1})
	}
}

func (s *searcher) add(c *counter, line span) {
	text := bytes.TrimSuffix(c.data[line.start:line.end], []byte("\r"))
	s.found.lines = append(s.found.lines, shownLine{c.at(line.start), excerpt(text, line.match-line.start),
		line.match >= 0})
	s.shown = min(line.end+1, len(c.data))
}

// excerpt returns a line, or the part of a long one that has the match.
func excerpt(line []byte, match int) string {
	from, to := 0, len(line)
	if len(line) > maxGreppedLine {
		if match > maxGreppedLine/2 {
			from = min(match-maxGreppedLine/4, len(line)-maxGreppedLine)
			from = clip.Whole(line[:from]) // not within a character
		}
		to = clip.Whole(line[:min(from+maxGreppedLine, len(line))])
	}
	var text strings.Builder
	if from > 0 {
		fmt.Fprintf(&text, "[%d bytes] ", from)
	}
	writeText(&text, line[from:to])
	if to < len(line) {
		fmt.Fprintf(&text, " [%d more bytes]", len(line)-to)
	}
	return text.String()
}
