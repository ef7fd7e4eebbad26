package terminaltest

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// Screen is the content of a terminal, including the lines that have scrolled out at the
// top. It interprets what chibi and its tests write: text of any width, line breaks,
// carriage returns, tabs, erasing, and colours, which it ignores.
type Screen struct {
	columns int
	lines   [][]rune // a wide character is followed by a 0
	x, y    int
	escape  string // an incomplete sequence
}

// Draw returns the screen after a text has been written.
func Draw(columns int, text string) *Screen {
	s := &Screen{columns: columns, lines: make([][]rune, 1)}
	for _, c := range text {
		s.take(c)
	}
	return s
}

// Lines returns the lines of the screen, without trailing blanks and trailing empty lines.
func (s *Screen) Lines() []string {
	var list []string
	for _, line := range s.lines {
		list = append(list, strings.TrimRight(strings.ReplaceAll(string(line), "\x00", ""), " "))
	}
	for len(list) > 0 && list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	return list
}

// Text returns the lines as one text.
func (s *Screen) Text() string { return strings.Join(s.Lines(), "\n") }

func (s *Screen) take(c rune) {
	switch {
	case s.escape != "":
		s.sequence(c)
	case c == '\x1b':
		s.escape = "\x1b"
	case c == '\r':
		s.x = 0
	case c == '\n':
		s.down()
	case c == '\b':
		s.x = max(0, min(s.x, s.columns-1)-1)
	case c == '\t':
		s.x = min(s.columns-1, s.x/8*8+8)
	case c >= ' ':
		s.put(c)
	}
}

// sequence processes a character of a control sequence.
func (s *Screen) sequence(c rune) {
	s.escape += string(c)
	if s.escape == "\x1b[" || c < '@' || c > '~' {
		return
	}
	line := &s.lines[s.y]
	switch s.escape {
	case "\x1b[K", "\x1b[0K":
		*line = (*line)[:min(len(*line), s.x)]
	case "\x1b[D":
		s.x = max(0, s.x-1)
	}
	s.escape = ""
}

// put writes a character at the cursor. At the end of a line, the cursor stays there until
// the next character.
func (s *Screen) put(c rune) {
	width := runewidth.RuneWidth(c)
	if width == 0 {
		return
	}
	if s.x+width > s.columns {
		s.x = 0
		s.down()
	}
	line := &s.lines[s.y]
	for len(*line) < s.x+width {
		*line = append(*line, ' ')
	}
	(*line)[s.x] = c
	if width > 1 {
		(*line)[s.x+1] = 0
	}
	s.x += width
}

func (s *Screen) down() {
	s.y++
	if s.y == len(s.lines) {
		s.lines = append(s.lines, nil)
	}
}
