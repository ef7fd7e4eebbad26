package screen

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/term"
	"github.com/mattn/go-runewidth"
)

type change struct {
	shown      []string
	parked     bool // the cursor is at the beginning of the last row, not at its end
	columns    int
	colourless bool
}

// The sequences around a row that keep it from wrapping if the terminal shows a character
// wider than we think.
const (
	noWrap = "\x1b[?7l"
	wrap   = "\x1b[?7h"
)

// text returns what replaces the shown rows by final text and rows. What is the same stays,
// so that nothing flickers. parked means that the cursor is then at the beginning of the last
// row: the row is nearly full, and the ^C of a person who interrupts the answer would wrap.
func (c change) text(final string, rows []string) (text string, parked bool) {
	var next []string
	for line := range strings.Lines(final) {
		next = append(next, strings.TrimSuffix(line, "\n"))
	}
	lines := len(next)
	next = slices.Concat(next, rows)
	var b strings.Builder
	from, isLonger := c.firstChanged(next)
	if isLonger && lines == 0 {
		next[from] = next[from][len(c.shown[from]):]
	} else if len(c.shown) > 0 {
		b.WriteString(eraseFrom(len(c.shown) - 1 - from))
	}
	for i := from; i < len(next); i++ {
		if i > from {
			b.WriteByte('\n')
		}
		b.WriteString(c.line(next[i], i >= lines))
	}
	switch {
	case len(rows) > 0:
		parked = isNearlyFull(rows[len(rows)-1], c.columns)
	case lines > 0:
		b.WriteByte('\n')
	}
	if parked {
		b.WriteByte('\r')
	}
	return b.String(), parked
}

// firstChanged returns the first row that differs from what is shown, at most the last one
// of both: behind it may be what a person has typed. isLonger means that only something has
// been added to the last shown row, and perhaps rows below it.
func (c change) firstChanged(next []string) (i int, isLonger bool) {
	last := len(c.shown) - 1
	for i < min(last, len(next)-1) && c.shown[i] == next[i] {
		i++
	}
	return i, !c.parked && last >= 0 && i == last && i < len(next) && strings.HasPrefix(next[i], c.shown[i])
}

func eraseFrom(above int) string {
	if above == 0 {
		return "\r\x1b[J"
	}
	return fmt.Sprintf("\r\x1b[%dA\x1b[J", above)
}

// line returns a line as it is written. A row never wraps.
func (c change) line(line string, isRow bool) string {
	line = filtered(line, term.Filter{Colours: !c.colourless})
	if isRow && strings.ContainsFunc(line, func(c rune) bool { return c >= utf8.RuneSelf }) {
		return noWrap + line + wrap
	}
	return line
}

// isNearlyFull reports whether less than three columns are free behind a row.
func isNearlyFull(row string, columns int) bool {
	return len(row) > columns-3 && runewidth.StringWidth(filtered(row, term.Filter{})) > columns-3
}

func filtered(text string, f term.Filter) string {
	var b strings.Builder
	f.To = &b
	io.WriteString(&f, text)
	f.Close()
	return b.String()
}
