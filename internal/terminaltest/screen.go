package terminaltest

import (
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Screen is the content of a terminal, including the lines that have scrolled out at the
// top. It interprets what chibi and its tests write: text of any width, line breaks,
// carriage returns, tabs, moving up, erasing, and colours, which it ignores.
type Screen struct {
	columns int
	rows    int
	lines   [][]rune // a wide character is followed by a 0
	x, y    int
	noWrap  bool
	escape  string // an incomplete sequence
}

// NewScreen returns an empty screen. Lines above the last ones, so many as it has rows,
// cannot be changed any more; 0 rows: all can.
func NewScreen(columns, rows int) *Screen {
	return &Screen{columns: columns, rows: rows, lines: make([][]rune, 1)}
}

// Draw returns the screen after a text has been written.
func Draw(columns int, text string) *Screen {
	s := NewScreen(columns, 0)
	s.Write([]byte(text))
	return s
}

// Write writes whole characters to the screen.
func (s *Screen) Write(p []byte) (int, error) {
	for _, c := range string(p) {
		s.take(c)
	}
	return len(p), nil
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
	number, _ := strconv.Atoi(s.escape[2 : len(s.escape)-1])
	switch c {
	case 'K':
		*line = (*line)[:min(len(*line), s.x)]
	case 'J':
		*line = (*line)[:min(len(*line), s.x)]
		s.lines = s.lines[:s.y+1]
	case 'A':
		s.y = max(s.y-max(1, number), s.top())
	case 'D':
		s.x = max(0, s.x-max(1, number))
	case 'l', 'h':
		if s.escape[2:len(s.escape)-1] == "?7" {
			s.noWrap = c == 'l'
		}
	}
	s.escape = ""
}

// top returns the first line that is still on the screen.
func (s *Screen) top() int {
	if s.rows == 0 {
		return 0
	}
	return max(0, len(s.lines)-s.rows)
}

// put writes a character at the cursor. At the end of a line, the cursor stays there until
// the next character.
func (s *Screen) put(c rune) {
	width := runewidth.RuneWidth(c)
	if width == 0 {
		return
	}
	switch {
	case s.x+width <= s.columns:
	case s.noWrap:
		s.x = s.columns - width
	default:
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
